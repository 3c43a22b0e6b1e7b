/** Texts of questions that rows refer to by id alone, each loaded once. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from './api.ts';

const texts = signal<ReadonlyMap<string, string>>(new Map());
const requested = new Set<string>();

export function useQuestionText(id: string | undefined, known: string | undefined): string {
  useEffect(() => {
    if (known !== undefined || id === undefined || requested.has(id)) return;
    requested.add(id);
    api.get<{ question_text: string }>(`/questions/${id}`).then(
      ({ question_text }) => {
        texts.value = new Map(texts.value).set(id, question_text);
      },
      // A deleted question keeps its id as the text; another attempt follows with the next page.
      () => requested.delete(id),
    );
  }, [id, known]);
  return known ?? (id === undefined ? '' : (texts.value.get(id) ?? 'Question'));
}
