/** `npm run bench -- soak`: the torture test runs the same program for less than a minute. */
import '../test/processes/soak/main.ts';
