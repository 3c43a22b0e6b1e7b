/** Request metrics, and the Prometheus text exposition format 0.0.4. */
import type { FastifyReply } from 'fastify';
import type { RouteConfig } from './route-config.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string | number>>;

interface Sample {
  /** Appended to the name of the family, such as `_bucket`. */
  suffix?: string;
  labels?: Labels;
  value: number;
}

/** All samples of one metric name. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: Sample[];
}

/** A family with a single sample. */
export const buildMetric = (
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  value: number,
  labels?: Labels,
): MetricFamily => ({ name, help, type, samples: [{ value, ...(labels && { labels }) }] });

const escapeLabel = (value: string | number) =>
  String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function renderSample(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

export function renderMetrics(families: MetricFamily[]): string {
  let text = '';
  for (const { name, help, type, samples } of families) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const sample of samples) text += renderSample(name, sample);
  }
  return text;
}

/** The upper bounds of the buckets of requests and timers. */
const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Histogram {
  readonly #bounds: readonly number[];
  /** Observations per bucket; the last bucket is unbounded. */
  readonly #counts: number[];
  #sum = 0;

  constructor(boundsSeconds: readonly number[] = BOUNDS_SECONDS) {
    this.#bounds = boundsSeconds;
    this.#counts = new Array<number>(boundsSeconds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > this.#bounds[bucket]!) bucket++;
    this.#counts[bucket]!++;
    this.#sum += seconds;
  }

  samples(labels: Labels = {}): Sample[] {
    let count = 0;
    const buckets = this.#counts.map((n, i) => {
      count += n;
      return { suffix: '_bucket', labels: { ...labels, le: this.#bounds[i] ?? '+Inf' }, value: count };
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: count },
    ];
  }
}

/** The metrics of one route. */
class RouteMetrics {
  readonly labels: Labels;
  readonly durations = new Histogram();
  /** By status; 0 if the client disconnected before there was one. */
  readonly responses = new Map<number, number>();
  inFlight = 0;

  constructor(method: string, route: string) {
    this.labels = { method, route };
  }

  end({ raw, elapsedTime }: FastifyReply): void {
    const status = raw.headersSent ? raw.statusCode : 0;
    this.responses.set(status, (this.responses.get(status) ?? 0) + 1);
    this.durations.observe(elapsedTime / 1000);
  }
}

/**
 * Counts requests by route, not by path, which bounds the number of labels. The method label is
 * `other` if the route does not support the method or there is no route.
 */
export class RequestMetrics {
  readonly #routes = new Map<string, RouteMetrics>();
  /** The same by Fastify's config object, which saves building the name for each request. */
  readonly #byConfig = new Map<object, RouteMetrics>();
  #inFlight = 0;
  #waiting = 0;
  #served = 0;

  /** Requests answered so far, without those that failed or were refused because of load. */
  get served(): number {
    return this.#served;
  }

  /** Requests in flight, without those that wait on purpose, such as event streams. */
  get inProgress(): number {
    return this.#inFlight - this.#waiting;
  }

  countInFlight(method: string, route: string): number {
    return this.#routes.get(`${method} ${route}`)?.inFlight ?? 0;
  }

  /** Counts a request as in flight until `end`. */
  start(config: RouteConfig): void {
    if (config.longRunning) this.#waiting++;
    this.#inFlight++;
    this.#getRouteMetrics(config).inFlight++;
  }

  /**
   * Counts a request whose response is closed, which also covers aborted streams and disconnected
   * clients; `onResponse` does not.
   */
  end(config: RouteConfig, reply: FastifyReply): void {
    const route = this.#getRouteMetrics(config);
    if (config.longRunning) this.#waiting--;
    this.#inFlight--;
    route.inFlight--;
    if (reply.raw.statusCode < 500) this.#served++;
    route.end(reply);
  }

  /** Counts a request that was refused at once because of load. */
  countRefused(config: RouteConfig, reply: FastifyReply): void {
    this.#getRouteMetrics(config).end(reply);
  }

  collect(): MetricFamily[] {
    const routes = [...this.#routes.values()].filter(({ responses }) => responses.size > 0);
    return [
      {
        name: 'quaestor_http_requests_total',
        help: 'Requests by status; status none if the client disconnected before the response.',
        type: 'counter',
        samples: routes.flatMap(({ labels, responses }) =>
          [...responses].map(([status, value]) => ({
            labels: { ...labels, status: status || 'none' },
            value,
          })),
        ),
      },
      {
        name: 'quaestor_http_request_duration_seconds',
        help: 'Request duration, from the headers to the end of the response.',
        type: 'histogram',
        samples: routes.flatMap(({ labels, durations }) => durations.samples(labels)),
      },
      buildMetric('quaestor_http_requests_in_flight', 'gauge', 'Requests in flight.', this.#inFlight),
    ];
  }

  #getRouteMetrics(config: RouteConfig): RouteMetrics {
    const known = this.#byConfig.get(config);
    if (known) return known;
    const { url: route = 'none', method: declared } = config;
    const method = typeof declared === 'string' ? declared : 'other';
    const metrics = this.#routes.getOrInsertComputed(
      `${method} ${route}`,
      () => new RouteMetrics(method, route),
    );
    this.#byConfig.set(config, metrics);
    return metrics;
  }
}
