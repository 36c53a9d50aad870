import { Fragment } from 'react';
import { Link } from 'wouter';

const PARTS = /(\*\*\[[^\]]*\]\([^)]*\)\*\*|\*\*(?:\\.|[^*])+\*\*)/;
const LINK = /^\*\*\[([^\]]*)\]\((\/[^)]*)\)\*\*$/;
const plain = (text: string) => text.replace(/\\(.)/g, '$1').replace(/\*\*/g, '');

/** The sentence of an event. The server writes it in Markdown, with strong names and links to screens. */
export function Summary({ text, hasLinks = true }: { readonly text: string; readonly hasLinks?: boolean }) {
  return text.split(PARTS).map((part, index) => {
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
      <strong key={key}>{plain(part)}</strong>
    ) : (
      <Fragment key={key}>{plain(part)}</Fragment>
    );
  });
}
