import Type from 'typebox';
import { invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import type { Feature, FeatureLink } from '../../../model/feature.ts';
import { MODEL_LIMITS } from '../../../model/limits.ts';
import { NameReference, Nullable } from '../../../model/primitives.ts';
import { findFeature } from '../../shared/lookup.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { FLAG_LIMITS } from '../limits.ts';

export const LinkFields = {
  url: Type.String({
    minLength: 1,
    maxLength: FLAG_LIMITS.linkLength.max,
    description: 'A web address; an address without a scheme gets `https://`',
  }),
  title: Type.Optional(Nullable(Type.String({ maxLength: MODEL_LIMITS.titleLength.max }))),
};

const FeatureReference = { project: NameReference, featureName: NameReference };

/** Adds a link to a flag. */
export const addLink = command({
  name: 'add-link',
  input: Type.Object({ ...FeatureReference, ...LinkFields }),
  decide(context, { project, featureName, ...fields }) {
    const feature = findFeature(context.draft, project, featureName);
    if (feature instanceof Rejection) return feature;
    const url = linkAddress(fields.url);
    if (url instanceof Rejection) return url;
    const link: FeatureLink = { id: context.newId(), url, title: fields.title ?? null };
    putLinks(context, feature, [...(feature.links ?? []), link]);
    context.emit({ type: 'feature-link-added', project, featureName, data: link });
    return link;
  },
});

/** Changes only the specified properties of a link. */
export const updateLink = command({
  name: 'update-link',
  input: Type.Object({ ...FeatureReference, linkId: Type.String(), ...LinkFields }),
  decide(context, { project, featureName, linkId, ...fields }) {
    const feature = findFeature(context.draft, project, featureName);
    if (feature instanceof Rejection) return feature;
    const before = linkOf(feature, linkId);
    if (before instanceof Rejection) return before;
    const url = linkAddress(fields.url);
    if (url instanceof Rejection) return url;
    const after: FeatureLink = { ...before, ...suppliedFields(LinkFields, { ...fields, url }) };
    const links = feature.links?.map((link) => (link.id === linkId ? after : link)) ?? [];
    putLinks(context, feature, links);
    context.emit({ type: 'feature-link-updated', project, featureName, data: after, preData: before });
    return after;
  },
});

export const removeLink = command({
  name: 'remove-link',
  input: Type.Object({ ...FeatureReference, linkId: Type.String() }),
  decide(context, { project, featureName, linkId }) {
    const feature = findFeature(context.draft, project, featureName);
    if (feature instanceof Rejection) return feature;
    const link = linkOf(feature, linkId);
    if (link instanceof Rejection) return link;
    putLinks(context, feature, feature.links?.filter(({ id }) => id !== linkId) ?? []);
    context.emit({ type: 'feature-link-removed', project, featureName, preData: link });
    return undefined;
  },
});

function linkOf({ name, links = [] }: Feature, linkId: string): FeatureLink | Rejection {
  return links.find(({ id }) => id === linkId) ?? notFound(`The feature ${name} does not have the link ${linkId}.`);
}

function putLinks({ draft }: CommandContext, feature: Feature, links: readonly FeatureLink[]): void {
  draft.put('features', { ...feature, links });
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Returns the address as it is stored, or a rejection if it is not a web address. Only the schemes http and https are accepted. In `host:80`, the
 * function recognises `host` as a host and not as a scheme.
 */
export function linkAddress(text: string): string | Rejection {
  const trimmed = text.trim();
  const hasScheme = SCHEME.test(trimmed) && !/^[^/?#]*:\d+([/?#]|$)/.test(trimmed);
  const address = hasScheme ? trimmed : `https://${trimmed}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isWebAddress = url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.hostname !== '';
  return isWebAddress
    ? address
    : invalid(`"${text.slice(0, 200)}" is not a web address: use an address such as https://example.com/page.`, '/url');
}
