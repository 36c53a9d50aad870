import { Fragment } from 'react';
import { Link } from 'wouter';
import { useStrategyTypes } from '../data/feature.ts';

const PARTS = /(\*\*\[[^\]]*\]\([^)]*\)\*\*|\*\*(?:\\.|[^*])+\*\*)/;
const LINK = /^\*\*\[([^\]]*)\]\((\/[^)]*)\)\*\*$/;
const STRATEGY = 'the strategy ';
const plain = (text: string) => text.replace(/\\(.)/g, '$1').replace(/\*\*/g, '');

/** The sentence of an event. The server writes it in Markdown, with strong names and links to screens. */
export function Summary({ text, hasLinks = true }: { readonly text: string; readonly hasLinks?: boolean }) {
  const { data: types = [] } = useStrategyTypes();
  const parts = text.split(PARTS);
  /** A strategy without a title has the name of its type. */
  const shown = (part: string, index: number) =>
    (parts[index - 1]?.endsWith(STRATEGY) && types.find(({ name }) => name === plain(part))?.displayName) ||
    plain(part);
  return parts.map((part, index) => {
    const key = `${index}`;
    const link = LINK.exec(part);
    if (link?.[2] && hasLinks) {
      return (
        <Link key={key} href={link[2]}>
          <strong>{plain(link[1] ?? '')}</strong>
        </Link>
      );
    }
    if (link) return <strong key={key}>{plain(link[1] ?? '')}</strong>;
    return part.startsWith('**') ? (
      <strong key={key}>{shown(part, index)}</strong>
    ) : (
      <Fragment key={key}>{plain(part)}</Fragment>
    );
  });
}
