import { Client } from '../../src/client/request.ts';

/** The service that the page came from, with the session cookie. */
export const api = new Client();
