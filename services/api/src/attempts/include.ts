import { Type } from 'typebox'
import type { AttemptParts } from '@postrider/store'

const CHOICES = ['response_data', 'event', 'event.data', 'destination']
const CHOICE = CHOICES.map((choice) => choice.replace('.', '\\.')).join('|')

/** The parameter `include`: repeated or separated by commas. */
export const Include = Type.Optional(
  Type.Array(
    Type.String({
      pattern: `^(?:${CHOICE})(?:,(?:${CHOICE}))*$`,
      'x-rule': `must be one of ${CHOICES.join(', ')}, or several of them separated by commas`,
    }),
    {
      description:
        'What to show besides the attempt: `response_data`, `event` or `event.data`, `destination`; repeated or separated by commas.',
      examples: [['response_data', 'event']],
    },
  ),
)

/** What an answer about attempts includes. */
export interface Included {
  readonly responseData: boolean
  readonly event: AttemptParts['event']
  readonly destination: boolean
}

export function readInclude(include: readonly string[] = []): Included {
  const wanted = new Set(include.flatMap((text) => text.split(',')))
  const event = wanted.has('event') ? 'without data' : 'no'
  return {
    responseData: wanted.has('response_data'),
    event: wanted.has('event.data') ? 'with data' : event,
    destination: wanted.has('destination'),
  }
}
