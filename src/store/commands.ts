/** Everything that may run in an engine's own thread, found there by name. */
import { createCategory, deleteCategory, updateCategory } from './categories.ts';
import { forgetOldKeys } from './idempotency.ts';
import { listQuestions } from './listing.ts';
import { createQuestions, deleteQuestion, updateQuestion } from './questions.ts';
import { restoreQuestion } from './revisions.ts';
import { searchQuestions } from './search.ts';

export const commands = {
  createQuestions,
  updateQuestion,
  deleteQuestion,
  restoreQuestion,
  createCategory,
  updateCategory,
  deleteCategory,
  forgetOldKeys,
};

export const searches = { listQuestions, searchQuestions };
