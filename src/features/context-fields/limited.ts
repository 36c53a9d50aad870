import type { ContextField } from '../../model/context-field.ts';
import { type LimitedCollections, measuredBy } from '../shared/limit-checks.ts';

export const limited: LimitedCollections = {
  contextFields: measuredBy<ContextField>(
    ({ name }) => `The context field ${name}`,
    (field) => ({ legalValues: field.legalValues.length, contextFieldBytes: Buffer.byteLength(JSON.stringify(field)) }),
  ),
};
