import { Counter, Gauge, Histogram, type Series } from './series.ts'
import { labelsText, metricText } from './text.ts'

export interface MetricOptions<L extends string> {
  /** Without the `postrider_` that every name begins with; with its unit, and `_total` for a counter. */
  readonly name: string
  /** One sentence for whoever reads the metrics. */
  readonly help: string
  /** Names of labels. Their values come from short closed lists: never ids, urls, or text of tenants. */
  readonly labels?: readonly L[]
}

/** A metric: one series of numbers for each combination of label values. */
export interface Metric<L extends string, S extends Series> {
  /** The series with these values. Whoever counts often keeps it: finding it costs more than counting. */
  of(labels: Readonly<Record<L, string>>): S
}

/** The content type of what `Metrics.text` gives. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const NAME = /^[a-z][a-z0-9_]*$/

/**
 * The metrics of one process, for Prometheus. Our own hundred lines instead of a library: counting is
 * one addition on the delivery path, and the text format has four kinds of lines.
 */
export class Metrics {
  readonly #texts = new Map<string, () => string>()

  /** @throws {Error} As do the others, when the name is taken or cannot be one. */
  counter<const L extends string = never>(options: MetricOptions<L>): Metric<L, Counter> {
    return this.#add('counter', options, () => new Counter())
  }

  gauge<const L extends string = never>(options: MetricOptions<L>): Metric<L, Gauge> {
    return this.#add('gauge', options, () => new Gauge())
  }

  /** @param options - `bounds`: upper bounds of the buckets, ascending; one without is always added */
  histogram<const L extends string = never>(
    options: MetricOptions<L> & { readonly bounds: readonly number[] },
  ): Metric<L, Histogram> {
    return this.#add('histogram', options, () => new Histogram(options.bounds))
  }

  /** All metrics in Prometheus' text format, in the order in which they were made. */
  text(): string {
    return Array.from(this.#texts.values(), (textOf) => textOf()).join('')
  }

  #add<L extends string, S extends Series>(
    type: string,
    { name: shortName, help, labels: labelNames = [] }: MetricOptions<L>,
    makeSeries: () => S,
  ): Metric<L, S> {
    const name = `postrider_${shortName}`
    if (!NAME.test(shortName)) throw new Error(`${shortName} cannot be the name of a metric`)
    if (this.#texts.has(name)) throw new Error(`the metric ${name} exists already`)
    const all = new Map<string, S>()
    const seriesOf = (labels: string): S => {
      const series = all.get(labels) ?? makeSeries()
      all.set(labels, series)
      return series
    }
    // What has no labels is there from the start: a counter that is missing looks like a broken scrape.
    if (labelNames.length === 0) seriesOf('')
    this.#texts.set(name, () =>
      metricText(
        { name, help, type },
        [...all].flatMap(([labels, series]) => series.samples(labels)),
      ),
    )
    return { of: (labels) => seriesOf(labelsText(labelNames, labels)) }
  }
}
