import type { HttpResponse } from 'uWebSockets.js';

/**
 * Has the socket read, and told of room, again; sets uWebSockets.js's timer anew, too. Where the socket was not paused that is all it does.
 *
 * What `resume` goes on with is not what this socket was paused with, but what was remembered last, of all sockets of the process: one thing for those that hold
 * unsent bytes, one for those that do not, and nothing at all before the first such pause. `pause` remembers what the socket listens for at present, if it does.
 * So a socket that was paused, and has listened again since because of a write that it did not take whole, is paused once more before it goes on.
 */
export function readOn(response: HttpResponse): void {
  response.pause();
  response.resume();
}
