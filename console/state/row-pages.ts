/**
 * Rows of a long list, by index: loaded in pages where the view rests, and kept for a while. Rows
 * that the view has passed are not requested.
 */
import { signal } from '@preact/signals';
import { Problem, type QueryValue } from '../../src/client/request.ts';
import { api } from './api.ts';
import { endSession } from './session.ts';

const PAGE_ROWS = 100;
const MAX_PAGES = 40;
const REST_MS = 120;

interface Page<T> {
  data: T[];
  pagination: { total: number };
}

export class RowPages<T> {
  /** Changes when rows arrive. */
  readonly version = signal(0);
  readonly total = signal<number | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  readonly #path: string;
  readonly #query: Record<string, QueryValue>;
  /** By number, the one used last at the end. */
  readonly #pages = new Map<number, T[]>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | undefined;

  constructor(path: string, query: Record<string, QueryValue>) {
    this.#path = path;
    this.#query = query;
  }

  get(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** Loads the rows of a range that are missing, once the range has not changed for a moment. */
  show(first: number, last: number): void {
    clearTimeout(this.#timer);
    const missing: number[] = [];
    for (let page = Math.floor(first / PAGE_ROWS); page <= Math.floor(last / PAGE_ROWS); page++)
      if (!this.#pages.has(page)) missing.push(page);
    if (missing.length === 0) return;
    const load = () => void this.#load(missing);
    if (this.total.value === undefined) load();
    else this.#timer = setTimeout(load, REST_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort();
  }

  async #load(pages: number[]): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      for (const page of pages) {
        const query = { ...this.#query, limit: PAGE_ROWS, offset: page * PAGE_ROWS };
        const { data, pagination } = await api.get<Page<T>>(this.#path, query, controller.signal);
        this.#pages.set(page, data);
        for (const old of this.#pages.keys()) {
          if (this.#pages.size <= MAX_PAGES) break;
          this.#pages.delete(old);
        }
        this.total.value = pagination.total;
        this.error.value = undefined;
        this.version.value++;
      }
    } catch (error) {
      if (controller.signal.aborted) return;
      if (error instanceof Problem && error.status === 401) endSession();
      this.error.value = error;
    }
  }
}
