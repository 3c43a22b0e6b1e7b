/**
 * Calls a function soon, among the events that the event loop receives from sockets. `setImmediate`
 * and timers run after all of them: with more than 1,024 busy connections, libuv handles up to 48
 * times 1,024 events before.
 */
export class PollSignal {
  readonly #channel = new MessageChannel();
  #requested = false;

  constructor(onSignal: () => void) {
    const { port1 } = this.#channel;
    port1.onmessage = () => {
      this.#requested = false;
      onSignal();
    };
    // Something else keeps the process alive while a signal matters.
    port1.unref();
  }

  /** Further requests before the call have no effect. */
  request(): void {
    if (this.#requested) return;
    this.#requested = true;
    this.#channel.port2.postMessage(null);
  }

  close(): void {
    this.#channel.port1.close();
  }
}
