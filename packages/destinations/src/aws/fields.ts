import type { StringMap } from '@postrider/common'
import type { TypeField } from '../destination-type.ts'
import { AWS_REGION_PATTERN } from './region.ts'

const VISIBLE_ASCII = '^[\\x21-\\x7e]+$'

/** The credentials of every type of AWS: an access key, and the token that temporary ones come with. */
export const AWS_CREDENTIAL_FIELDS: readonly TypeField[] = [
  {
    key: 'key',
    type: 'text',
    label: 'Access key ID',
    description: 'Of an access key that may do what the instructions name, such as AKIA….',
    required: true,
    sensitive: true,
    maxlength: 128,
    pattern: VISIBLE_ASCII,
  },
  {
    key: 'secret',
    type: 'text',
    label: 'Secret access key',
    description: 'The secret half of the access key.',
    required: true,
    sensitive: true,
    maxlength: 256,
    pattern: VISIBLE_ASCII,
  },
  {
    key: 'session',
    type: 'text',
    label: 'Session token',
    description: 'Only for temporary access keys, which stop working when they expire.',
    required: false,
    sensitive: true,
    maxlength: 8192,
    pattern: VISIBLE_ASCII,
  },
]

/** Credentials in the form that AWS gives them; they open nothing. */
export const AWS_EXAMPLE: StringMap = {
  key: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

/** A region of AWS; a type changes what is different with it. */
export const REGION_FIELD: TypeField = {
  key: 'region',
  type: 'text',
  label: 'Region',
  description: 'The AWS region, such as eu-west-1 or us-gov-west-1.',
  required: true,
  maxlength: 32,
  pattern: AWS_REGION_PATTERN,
}

/** @param service - the product whose protocol the other service speaks */
export function endpointField(service: string): TypeField {
  return {
    key: 'endpoint',
    type: 'text',
    label: 'Endpoint',
    description: `The http or https URL of another service that speaks the protocol of ${service}. Leave empty for AWS.`,
    required: false,
    minlength: 1,
    maxlength: 2048,
  }
}
