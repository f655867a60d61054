import { createRequire } from 'node:module'

/** What the demo publishes. */
export interface DemoEvent {
  readonly id: string
  readonly topic: string
  readonly data: Payload
  readonly isEligibleForRetry: boolean
}

/** A destination of the demo, and how its receiver behaves. */
export interface DemoDestination {
  readonly id: string
  readonly topics: readonly string[]
  readonly filter: Readonly<Record<string, unknown>> | null
  /** What it must receive; worked out here, apart from the code that matches. */
  readonly wants: (event: DemoEvent) => boolean
  /** How many tries of each delivery its receiver refuses first. */
  readonly refusedTries: number
}

interface Scene {
  readonly events: readonly DemoEvent[]
  readonly destinations: readonly DemoDestination[]
}

/** How many payloads of which GitHub events are published. */
const PUBLISHED = { issues: 8, issue_comment: 4, pull_request: 6, push: 4, star: 2, release: 2 }

/** The topic whose events are published as not eligible for a retry. */
const ONCE_ONLY = 'release'

/**
 * Real GitHub webhook payloads, and four destinations for them.
 *
 * @param refusedTries - how often the receiver refuses what it is going to take in the end
 */
export function makeScene(refusedTries: number): Scene {
  return {
    events: Object.entries(PUBLISHED).flatMap(([name, count]) => eventsOf(name, count)),
    destinations: [
      { id: 'archive', topics: ['*'], filter: null, wants: () => true, refusedTries: 0 },
      {
        id: 'triage',
        topics: ['issues', 'issue_comment'],
        filter: { data: { action: { $in: ['opened', 'created'] } } },
        wants: (event) => event.topic.startsWith('issue') && isNews(event),
        refusedTries: 0,
      },
      {
        id: 'review-bot',
        topics: ['pull_request'],
        filter: null,
        wants: ({ topic }) => topic === 'pull_request',
        refusedTries,
      },
      {
        id: 'announcer',
        topics: [ONCE_ONLY],
        filter: null,
        wants: ({ topic }) => topic === ONCE_ONLY,
        refusedTries: 1,
      },
    ],
  }
}

function isNews({ data }: DemoEvent): boolean {
  return data['action'] === 'opened' || data['action'] === 'created'
}

/** Examples of different actions first. */
function eventsOf(name: string, count: number): DemoEvent[] {
  const examples = GITHUB_EVENTS.find((event) => event.name === name)?.examples ?? []
  const isNewAction = (data: Payload, i: number): boolean =>
    examples.findIndex((other) => other['action'] === data['action']) === i
  const others = examples.filter((data, i) => !isNewAction(data, i))
  return [...examples.filter(isNewAction), ...others].slice(0, count).map((data, i) => ({
    id: `${name}-${i + 1}`,
    topic: name,
    data,
    isEligibleForRetry: name !== ONCE_ONLY,
  }))
}

type Payload = Readonly<Record<string, unknown>>

interface GitHubEvent {
  readonly name: string
  readonly examples: readonly Payload[]
}

// A JSON file without a module around it: what `require` takes and `import` does not.
const GITHUB_EVENTS = createRequire(import.meta.url)(
  '@octokit/webhooks-examples',
) as readonly GitHubEvent[]
