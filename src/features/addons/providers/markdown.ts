/** A part of a summary: text between `**`, possibly with a link, or plain text. The texts are not escaped. */
interface Part {
  readonly text: string;
  readonly isBold: boolean;
  readonly link: string | null;
}

/** Bold links, bold texts, and the rest of a summary (`features/events/summary.ts`), which has no other Markdown. */
const BOLD = /\*\*\[((?:\\.|[^\\\]])*)\]\(([^)]*)\)\*\*|\*\*((?:\\.|[^\\*])*)\*\*/g;

function partsOf(markdown: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of markdown.matchAll(BOLD)) {
    const [whole, linkText, link = null, boldText = ''] = match;
    if (match.index > at) parts.push({ text: plain(markdown.slice(at, match.index)), isBold: false, link: null });
    parts.push({ text: plain(linkText ?? boldText), isBold: true, link });
    at = match.index + whole.length;
  }
  if (at < markdown.length) parts.push({ text: plain(markdown.slice(at)), isBold: false, link: null });
  return parts;
}

function plain(escaped: string): string {
  return escaped.replace(/\\(.)/g, '$1');
}

/** A summary as plain text. */
export function plainText(markdown: string): string {
  return partsOf(markdown)
    .map(({ text }) => text)
    .join('');
}

/** A summary in Slack's format. Names that people chose cannot become links or mention other people. */
export function slackText(markdown: string): string {
  return partsOf(markdown)
    .map(({ text, isBold, link }) => {
      const safe = slackEscaped(text);
      if (link !== null) return `*<${slackEscaped(link).replaceAll('|', '%7C')}|${safe.replaceAll('|', '¦')}>*`;
      // A star inside of a bold text would end it.
      return isBold ? `*${safe.replaceAll('*', '∗')}*` : safe;
    })
    .join('');
}

function slackEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
