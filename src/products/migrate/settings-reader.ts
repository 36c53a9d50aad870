import { BANNER_VARIANTS } from '../../features/instance/banners/banner.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { integer, isTrue, type Loose, list, object, text, textOrNull, texts, time } from './loose-json.ts';
import { readFeatureType } from './read-parts.ts';

/** Reads the lifetimes of flag types, the allowed origins of the frontend API, and the banners. Settings that are not shown are left out. */
export async function readSettings(client: InstanceClient, holdings: Holdings): Promise<void> {
  const types = list(object(await client.getOptional('/api/admin/feature-types')).types);
  for (const { id, lifetimeDays } of types) {
    const type = readFeatureType(id);
    // A missing lifetime is not the same as null, which means unlimited.
    if (type === undefined || lifetimeDays === undefined) continue;
    holdings.featureTypes.push({ id: type, lifetimeDays: lifetimeDays === null ? null : integer(lifetimeDays, 0) });
  }
  const { frontendApiOrigins } = object(await client.getOptional('/api/admin/ui-config'));
  if (Array.isArray(frontendApiOrigins)) holdings.frontendOrigins.push({ origins: texts(frontendApiOrigins) });
  const banners = list(object(await client.getOptional('/api/admin/banners')).banners);
  // The oldest banner comes first, because banners get new ids in this order.
  for (const sent of banners.toSorted((left, right) => integer(left.id, 0) - integer(right.id, 0)))
    if (text(sent.message) !== '') holdings.banners.push(readBanner(sent));
}

function readBanner(sent: Loose): Holdings['banners'][number] {
  const { message, enabled, variant, sticky, icon, link, linkText, dialogTitle, dialog } = sent;
  const createdAt = time(sent.createdAt);
  return {
    message: text(message),
    enabled: enabled !== false,
    sticky: isTrue(sticky),
    variant: BANNER_VARIANTS.find((known) => known === variant) ?? 'info',
    icon: textOrNull(icon),
    link: textOrNull(link),
    linkText: textOrNull(linkText),
    dialogTitle: textOrNull(dialogTitle),
    dialog: textOrNull(dialog),
    ...(createdAt && { createdAt }),
  };
}
