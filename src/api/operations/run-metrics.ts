import { Histogram, type MetricFamily } from '../../http/metrics.ts';
import type { RunEnd } from '../../jobs/ending.ts';

/** From a small selection to the time limit of a run. */
const BOUNDS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

/** Durations of the runs that this process executed, by type and outcome. */
export class RunMetrics {
  readonly #durations = new Map<string, { labels: Record<string, string>; histogram: Histogram }>();

  observe({ analysis_type, outcome, seconds }: RunEnd): void {
    const { histogram } = this.#durations.getOrInsertComputed(`${analysis_type} ${outcome}`, () => ({
      labels: { analysis_type, outcome },
      histogram: new Histogram(BOUNDS_SECONDS),
    }));
    histogram.observe(seconds);
  }

  collect(): MetricFamily {
    return {
      name: 'quaestor_analysis_run_duration_seconds',
      help: 'Duration of the runs of this process, from the claim until the end is stored.',
      type: 'histogram',
      samples: [...this.#durations.values()].flatMap(({ labels, histogram }) => histogram.samples(labels)),
    };
  }
}
