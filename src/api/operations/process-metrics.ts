/** How this process stands: its time on the CPU, its memory, and how late its event loop is. */
import { type Family, Histogram, single } from '../../http/metrics.ts';

/** In milliseconds. */
const LOOK_EVERY = 100;

/**
 * How much later than it was due a timer runs, which is how long a request that has just come in waits for its turn. Counted in
 * buckets, so that any number of readers can look at them and nodes can be added up; percentiles since the last look could
 * be neither.
 */
export class LoopDelay {
  readonly #delays = new Histogram();
  readonly #timer: NodeJS.Timeout;
  #due = performance.now() + LOOK_EVERY;

  constructor() {
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  family(): Family {
    const help = 'How much later than it was due a timer ran.';
    return {
      name: 'nodejs_eventloop_delay_seconds',
      help,
      type: 'histogram',
      samples: this.#delays.samples(),
    };
  }

  #look(): void {
    const now = performance.now();
    this.#delays.observe(Math.max(0, now - this.#due) / 1000);
    this.#due = now + LOOK_EVERY;
  }
}

export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { active, idle } = performance.eventLoopUtilization();
  const gauge = (name: string, help: string, value: number) => single(name, 'gauge', help, value);
  const counter = (name: string, help: string, value: number) => single(name, 'counter', help, value);
  return [
    counter('process_cpu_seconds_total', 'Time on the CPU, of all threads.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory in use.', rss),
    gauge('process_start_time_seconds', 'When the process began, since 1970.', performance.timeOrigin / 1000),
    gauge('nodejs_heap_size_total_bytes', 'The heap of JavaScript.', heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'How much of it is in use.', heapUsed),
    gauge(
      'nodejs_external_memory_bytes',
      'Memory that is held from JavaScript outside of its heap.',
      external,
    ),
    counter('nodejs_eventloop_active_seconds_total', 'Time the event loop was at work.', active / 1000),
    counter(
      'nodejs_eventloop_idle_seconds_total',
      'Time the event loop waited for something to do.',
      idle / 1000,
    ),
  ];
}
