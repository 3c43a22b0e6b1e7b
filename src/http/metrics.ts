/** What is counted of requests, and how numbers are written down for Prometheus: its text format, version 0.0.4. */
import type { FastifyReply, FastifyRequest } from 'fastify';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string | number>>;

interface Sample {
  /** What follows the family's name. */
  suffix?: string;
  labels?: Labels;
  value: number;
}

/** Everything under one name. */
export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: Sample[];
}

export const single = (
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  value: number,
  labels?: Labels,
): Family => ({ name, help, type, samples: [{ value, ...(labels && { labels }) }] });

const escaped = (value: string | number) =>
  String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function line(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

export function exposition(families: Family[]): string {
  let text = '';
  for (const { name, help, type, samples } of families) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const sample of samples) text += line(name, sample);
  }
  return text;
}

/** The upper bounds of the buckets, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Histogram {
  /** How many fell into each bucket, and the last beyond them all. */
  readonly #counts = new Array<number>(BOUNDS.length + 1).fill(0);
  #sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
    this.#counts[bucket]!++;
    this.#sum += seconds;
  }

  samples(labels: Labels = {}): Sample[] {
    let count = 0;
    const buckets = this.#counts.map((n, i) => {
      count += n;
      return { suffix: '_bucket', labels: { ...labels, le: BOUNDS[i] ?? '+Inf' }, value: count };
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: count },
    ];
  }
}

/** What is counted of one route. */
class Series {
  readonly labels: Labels;
  readonly durations = new Histogram();
  /** By status; 0 where the caller had gone before there was one. */
  readonly answers = new Map<number, number>();
  underWay = 0;

  constructor(method: string, route: string) {
    this.labels = { method, route };
  }

  end({ raw, elapsedTime }: FastifyReply): void {
    const status = raw.headersSent ? raw.statusCode : 0;
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    this.durations.observe(elapsedTime / 1000);
  }
}

/**
 * Counts requests by route, never by path: labels are as many as the service has routes, whatever it is asked for. A method
 * that a route does not offer is `other`, and so is every method where there is no route.
 */
export class Traffic {
  readonly #series = new Map<string, Series>();
  /** The same by what the framework keeps for each route, so that counting puts no name together. */
  readonly #byRoute = new Map<object, Series>();
  #underWay = 0;

  get underWay(): number {
    return this.#underWay;
  }

  /** How many requests to one route are under way. */
  underWayAt(method: string, route: string): number {
    return this.#series.get(`${method} ${route}`)?.underWay ?? 0;
  }

  /**
   * Counts a request when its answer has ended, however it does: a stream that is closed and a caller who has gone come to no
   * `onResponse`. Until then it is under way, unless it is refused at once.
   */
  watch(request: FastifyRequest, reply: FastifyReply, refused: boolean): void {
    const series = this.#seriesOf(request.routeOptions.config);
    const weight = refused ? 0 : 1;
    this.#underWay += weight;
    series.underWay += weight;
    reply.raw.once('close', () => {
      this.#underWay -= weight;
      series.underWay -= weight;
      series.end(reply);
    });
  }

  families(): Family[] {
    const all = [...this.#series.values()].filter(({ answers }) => answers.size > 0);
    return [
      {
        name: 'quaestor_http_requests_total',
        help: 'Requests that have been answered, or whose caller had gone before (status none).',
        type: 'counter',
        samples: all.flatMap(({ labels, answers }) =>
          [...answers].map(([status, value]) => ({ labels: { ...labels, status: status || 'none' }, value })),
        ),
      },
      {
        name: 'quaestor_http_request_duration_seconds',
        help: 'How long requests took, from their headers to the end of the answer.',
        type: 'histogram',
        samples: all.flatMap(({ labels, durations }) => durations.samples(labels)),
      },
      single('quaestor_http_requests_in_flight', 'gauge', 'Requests under way.', this.#underWay),
    ];
  }

  #seriesOf(config: FastifyRequest['routeOptions']['config']): Series {
    const known = this.#byRoute.get(config);
    if (known) return known;
    const { url: route = 'none', method: offered } = config;
    const method = typeof offered === 'string' ? offered : 'other';
    const series = this.#series.getOrInsertComputed(`${method} ${route}`, () => new Series(method, route));
    this.#byRoute.set(config, series);
    return series;
  }
}
