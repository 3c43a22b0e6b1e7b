/** Metrics of the process: CPU time, memory and event loop delay. */
import { buildMetric, Histogram, type MetricFamily } from '../../http/metrics.ts';

const SAMPLE_INTERVAL_MS = 100;

/**
 * Measures how late a timer fires, which is how long a new request waits for the event loop. It is
 * a histogram, so that several scrapers can read it and nodes can be summed; neither is possible
 * with percentiles since the last scrape.
 */
export class EventLoopDelay {
  readonly #delays = new Histogram();
  readonly #timer: NodeJS.Timeout;
  #due = performance.now() + SAMPLE_INTERVAL_MS;

  constructor() {
    this.#timer = setInterval(() => this.#sample(), SAMPLE_INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  collect(): MetricFamily {
    const help = 'Event loop delay: how late a timer fired.';
    return {
      name: 'nodejs_eventloop_delay_seconds',
      help,
      type: 'histogram',
      samples: this.#delays.samples(),
    };
  }

  #sample(): void {
    const now = performance.now();
    this.#delays.observe(Math.max(0, now - this.#due) / 1000);
    this.#due = now + SAMPLE_INTERVAL_MS;
  }
}

export function collectProcessMetrics(): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { active, idle } = performance.eventLoopUtilization();
  const gauge = (name: string, help: string, value: number) => buildMetric(name, 'gauge', help, value);
  const counter = (name: string, help: string, value: number) => buildMetric(name, 'counter', help, value);
  return [
    counter('process_cpu_seconds_total', 'CPU time of all threads.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Resident memory.', rss),
    gauge(
      'process_start_time_seconds',
      'Start time of the process since 1970.',
      performance.timeOrigin / 1000,
    ),
    gauge('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap.', heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'Used part of the JavaScript heap.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory of JavaScript objects outside the heap.', external),
    counter('nodejs_eventloop_active_seconds_total', 'Time the event loop was active.', active / 1000),
    counter('nodejs_eventloop_idle_seconds_total', 'Time the event loop was idle.', idle / 1000),
  ];
}
