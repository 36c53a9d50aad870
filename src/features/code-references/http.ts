import type { FeatureHttp } from '../feature-module.ts';
import { codeReferenceEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: codeReferenceEndpoints,
  glossary: {},
  examples: {
    'replaceCodeReferences.repository': 'acme/shop',
    'deleteCodeRepository.repository': 'acme/shop',
    replaceCodeReferences: {
      commit: '4c1f0e9',
      branch: 'main',
      link: 'https://git.example.com/acme/shop/blob/{commit}/{path}#L{line}',
      references: [
        {
          flagName: 'checkout.new',
          places: [
            { path: 'src/cart.ts', line: 12 },
            { path: 'src/pay.ts', line: 40 },
          ],
        },
      ],
    },
  },
};
