#!/bin/sh
# Writes default-mode.json and standard-mode.json with openssl alone, so that what is verified was not
# signed by code of this repository. Run in this directory: sh make.sh
set -eu

# sign <digest> <key in hex> <hex|base64>: the HMAC of standard input
sign() {
  if [ "$3" = hex ]; then
    openssl dgst "-$1" -mac HMAC -macopt "hexkey:$2" -r | cut -d ' ' -f 1
  else
    openssl dgst "-$1" -mac HMAC -macopt "hexkey:$2" -binary | openssl base64 -A
  fi
}

hex() { od -An -v -tx1 | tr -d ' \n'; }
base64_of() { openssl base64 -A; }

SECRET='whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
OLDER='whsec_b2xkZXItc2VjcmV0LW9sZGVyLXNlY3JldC1vbGRlcg=='
# What parsing and writing again would change: a long number, 1.10, both spellings of é, an escape.
BODY='{"n":12345678901234567890,"f":1.10,"u":"\u00e9é","s":"a\/b"}'

# default <digest> <encoding> <timestamp> <body in printf's notation> <secret>…
default() {
  digest=$1 encoding=$2 timestamp=$3 body=$4
  shift 4
  header="t=$timestamp,v0=" separator='' secrets=''
  for secret; do
    key=$(printf '%s' "$secret" | hex)
    header="$header$separator$({ printf '%s.' "$timestamp"; printf "$body"; } | sign "$digest" "$key" "$encoding")"
    secrets="$secrets${separator:+, }\"$secret\""
    separator=,
  done
  printf '  { "algorithm": "hmac-%s", "encoding": "%s", "timestamp": "%s", "secrets": [%s],\n' \
    "$digest" "$encoding" "$timestamp" "$secrets"
  printf '    "bodyBase64": "%s",\n    "header": "%s" }' "$(printf "$body" | base64_of)" "$header"
}

# standard <id> <timestamp> <body in printf's notation> <secret>…
standard() {
  id=$1 timestamp=$2 body=$3
  shift 3
  header='' separator='' secrets=''
  for secret; do
    key=$(printf '%s' "${secret#whsec_}" | openssl base64 -d -A | hex)
    header="$header$separator""v1,$({ printf '%s.%s.' "$id" "$timestamp"; printf "$body"; } | sign sha256 "$key" base64)"
    secrets="$secrets${separator:+, }\"$secret\""
    separator=' '
  done
  printf '  { "id": "%s", "timestamp": "%s", "secrets": [%s],\n' "$id" "$timestamp" "$secrets"
  printf '    "bodyBase64": "%s",\n    "header": "%s" }' "$(printf "$body" | base64_of)" "$header"
}

PRINTF_BODY=$(printf '%s' "$BODY" | sed 's/\\/\\\\/g')
{
  printf '[\n'
  default sha256 hex 1700000000 '{"hello":"world"}' first-delivery; printf ',\n'
  default sha256 hex 1700000000 "$PRINTF_BODY" "$SECRET"; printf ',\n'
  default sha256 hex 1700000000 "$PRINTF_BODY" "$SECRET" "$OLDER"; printf ',\n'
  default sha256 base64 1700000000 "$PRINTF_BODY" "$SECRET"; printf ',\n'
  default sha1 hex 1700000000 "$PRINTF_BODY" "$SECRET"; printf ',\n'
  default sha1 base64 1700000000 "$PRINTF_BODY" "$SECRET" "$OLDER"; printf ',\n'
  default sha512 hex 1700000000 "$PRINTF_BODY" "$SECRET" "$OLDER"; printf ',\n'
  default sha512 base64 1700000000 "$PRINTF_BODY" "$SECRET"; printf ',\n'
  default sha256 hex 0 '' 'sécret, with text'; printf ',\n'
  default sha256 hex 253402300799 '\000\377\376.1.' "$SECRET"; printf '\n]\n'
} > default-mode.json
{
  printf '[\n'
  standard evt_1 1700000000 '{"hello":"world"}' "$SECRET"; printf ',\n'
  standard evt_1 1700000000 "$PRINTF_BODY" "$SECRET" "$OLDER"; printf ',\n'
  standard a.1:b.1700000000 1700000001 "$PRINTF_BODY" "$SECRET"; printf ',\n'
  standard - 0 '' "$OLDER"; printf '\n]\n'
} > standard-mode.json
