/** `npm run bench -- worst-case`: the torture tests run the same program on a smaller state. */
import '../test/http/walks/worst-case/main.ts';
