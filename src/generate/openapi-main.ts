import { writeFileSync } from 'node:fs';
import { documentText } from '../features/documentation/document.ts';
import { FEATURE_HTTP } from '../features/registry.ts';

/** Writes the OpenAPI document of this build to the file in the argument, or to standard output. */
const [file] = process.argv.slice(2);
const text = await documentText(FEATURE_HTTP);
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
