/**
 * The largest request head, in bytes, that uWS reads. Without it the newer uWS (Node 22 and 24) cuts heads beyond 4 KB with an HTML 431, which
 * browsers behind a single sign-on send. It is twice what `request.ts` takes, so that a caller that sends too much gets an error in JSON. uWS reads the
 * variable once, when it is loaded: code that loads it imports this file before.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(64 * 1024);
