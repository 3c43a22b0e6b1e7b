/** The errors of bulk changes that are not of all resources. */
import { ApiError } from '../../errors.ts';

export const changeErrors = {
  notUndoable: (id: string) =>
    new ApiError(
      409,
      'not_undoable',
      `Change ${id} is an import of responses, which cannot be undone. Delete responses by respondent: DELETE /responses.`,
    ),
};
