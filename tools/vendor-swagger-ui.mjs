// Runs after each build. Copies the two files of Swagger UI that `/docs` serves, and their licences, into dist/vendor. So users of Burgee need not
// install Swagger UI's package, which has twelve megabytes and a dependency that reports installations to its authors.
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE', 'package.json'];

export function vendorSwaggerUi(root = fileURLToPath(new URL('..', import.meta.url))) {
  const target = `${root}dist/vendor/swagger-ui/`;
  mkdirSync(target, { recursive: true });
  for (const file of FILES) copyFileSync(`${root}node_modules/swagger-ui-dist/${file}`, target + file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) vendorSwaggerUi();
