/**
 * Data of the API for a page: loaded when the address it depends on changes. The previous data stays
 * until the new data is there, so that nothing jumps.
 */
import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Problem, type QueryValue } from '../../src/client/request.ts';
import { api } from './api.ts';
import { endSession } from './session.ts';

export interface Resource<T> {
  data: T | undefined;
  error: unknown;
  /** Whether `data` is being replaced, or loaded for the first time. */
  isLoading: boolean;
  reload(): void;
}

/** Incremented by changes: resources that are shown are loaded again. */
export const generation: Signal<number> = signal(0);
export const reloadAll = (): void => {
  generation.value++;
};

/** Without a path, nothing is loaded. */
export function useResource<T>(
  path: string | undefined,
  query: Record<string, QueryValue> = {},
): Resource<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const isLoading = useSignal(path !== undefined);
  const attempt = useSignal(0);
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    if (path === undefined) return;
    const controller = new AbortController();
    isLoading.value = true;
    api
      .get<T>(path, query, controller.signal)
      .then(
        (body) => {
          data.value = body;
          error.value = undefined;
        },
        (problem: unknown) => {
          if (controller.signal.aborted) return;
          if (problem instanceof Problem && problem.status === 401) endSession();
          error.value = problem;
        },
      )
      .finally(() => {
        if (!controller.signal.aborted) isLoading.value = false;
      });
    return () => controller.abort();
  }, [key, attempt.value, generation.value]);
  return {
    data: data.value,
    error: error.value,
    isLoading: isLoading.value,
    reload: () => {
      attempt.value++;
    },
  };
}
