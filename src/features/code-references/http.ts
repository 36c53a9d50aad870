import type { FeatureHttp } from '../feature-module.ts';
import { codeReferenceEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: codeReferenceEndpoints,
  glossary: {
    reportedAt: 'When the references of the repository were last reported',
    reportedBy: 'Who reported them last',
    'codeReferencesOfRepository.places': 'Where the code uses the flag',
    'unknownFlagInRepository.repository': 'Name of the repository',
    'unknownFlagInRepository.first': 'The first place where the code uses the name',
  },
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
