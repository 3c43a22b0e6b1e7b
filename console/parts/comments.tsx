/** Comments of editors on a question, which readers and players do not see. */
import { api } from '../state/api.ts';
import { formatAge } from '../state/format.ts';
import { announceFailure } from '../state/messages.ts';
import { useResource } from '../state/resource.ts';

interface Comment {
  id: string;
  author: string;
  text: string;
  resolved: boolean;
  created_at: string;
}

export function Comments({ id }: { id: string }) {
  const comments = useResource<{ data: Comment[] }>(`/questions/${id}/comments`);
  const attempt = (act: Promise<unknown>) => act.then(comments.reload, announceFailure);
  return (
    <details class="history">
      <summary>Comments ({comments.data?.data.length ?? 0})</summary>
      <ul class="comments">
        {comments.data?.data.map(({ id: comment, author, text, resolved, created_at }) => (
          <li key={comment} class={resolved ? 'quiet' : ''}>
            <p>{text}</p>
            <small class="quiet">
              {author}, {formatAge(created_at)}
              {resolved && ', settled'}
            </small>{' '}
            <button
              type="button"
              class="link"
              onClick={() =>
                attempt(api.request('PATCH', `/comments/${comment}`, { body: { resolved: !resolved } }))
              }
            >
              {resolved ? 'Open again' : 'Settle'}
            </button>
          </li>
        ))}
      </ul>
      <form
        class="decision"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const text = String(new FormData(form).get('text'));
          void attempt(api.post(`/questions/${id}/comments`, { text }).then(() => form.reset()));
        }}
      >
        <input class="search" name="text" aria-label="New comment" placeholder="New comment" required />
        <button type="submit" class="button">
          Comment
        </button>
      </form>
    </details>
  );
}
