import { table, type Values } from './table.ts'

/**
 * Problems of values that the table knows but the webhook sender does not: it signs in default
 * mode, in the wire format of the default templates. A start that ignored them would send what
 * receivers refuse. The sender that learns one of them removes its line here.
 */
export function notSupportedYet({ destinations }: Values): string[] {
  const { mode, signatureContentTemplate, signatureHeaderTemplate } = table.destinations
  const problems: string[] = []
  if (destinations.mode === 'standard') problems.push(`${mode.name}=standard is not supported yet`)
  if (destinations.signatureContentTemplate !== signatureContentTemplate.fallback) {
    problems.push(`${signatureContentTemplate.name} other than its default is not supported yet`)
  }
  if (destinations.signatureHeaderTemplate !== signatureHeaderTemplate.fallback) {
    problems.push(`${signatureHeaderTemplate.name} other than its default is not supported yet`)
  }
  return problems
}
