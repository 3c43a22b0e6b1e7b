/** Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

export interface StreamEvent {
  /** Resumes the stream after this event. */
  id: string;
  /** For example `question.created`. After `stream.reset`, events may be missing: fetch your data again. */
  event: string;
  data: {
    at: string;
    question_id?: string;
    analysis_id?: string;
    analysis_type?: string;
    status?: string;
    progress?: number;
  };
}

/** The service sends a comment every 15 seconds: after three are missing, the connection is dead. */
const MAX_SILENCE_MS = 45_000;

/** Yields the events of a stream until it ends. `onRetry` gets the delay before a reconnection. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onRetry: (ms: number) => void,
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await withTimeout(reader.read());
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const messages = rest.split('\n\n');
      rest = messages.pop()!;
      for (const message of messages) {
        const fields = parseMessage(message);
        if (fields.retry !== undefined) onRetry(Number(fields.retry));
        if (fields.data !== undefined)
          yield { id: fields.id ?? '', event: fields.event ?? 'message', data: JSON.parse(fields.data) };
      }
    }
  } finally {
    // Not awaited: the connection is given up, whether or not the other end notices.
    reader.cancel().catch(() => {});
  }
}

function parseMessage(message: string): Record<string, string | undefined> {
  const fields: Record<string, string> = {};
  for (const line of message.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, '');
  }
  return fields;
}

async function withTimeout<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The stream of events is silent.')), MAX_SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
