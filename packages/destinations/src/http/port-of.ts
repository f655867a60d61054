/** The port of an http or https URL, said or not. */
export function portOf({
  protocol,
  port,
}: {
  readonly protocol: string
  readonly port: string
}): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}
