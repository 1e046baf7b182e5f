// Renders the blocks of Markdown as DOM nodes. The text comes from untrusted pages, so nodes are created one by one and
// HTML in it is shown as text. Supported is what the service writes: CommonMark headings, paragraphs, lists, quotes, code
// and rules, and GFM tables.

import { h } from './dom.js';
import { inline } from './inline.js';

/** The maximum length of a rendered page, so that a huge page cannot block the browser; a longer one is truncated with a note. */
const CHARS_MAX = 400_000;

/** The maximum number of rendered blocks, for the same reason. */
const BLOCKS_MAX = 10_000;

/** The maximum nesting of quotes and lists; deeper ones are rendered as paragraphs. */
const DEPTH_MAX = 12;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)(.*)$/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** @returns {DocumentFragment} the rendered text; its headings start at `topLevel` */
export function render(text, topLevel = 2) {
    const fragment = document.createDocumentFragment();
    const lines = withoutFrontMatter(text.slice(0, CHARS_MAX).split(/\r\n?|\n/));
    const nodes = blocks(lines, { topLevel, depth: 0 });
    nodes.slice(0, BLOCKS_MAX).forEach((node) => fragment.append(node));
    if (text.length > CHARS_MAX || nodes.length > BLOCKS_MAX) {
        fragment.append(h('p', { class: 'hint' }, 'The rest is not shown. Download the page to read all of it.'));
    }
    return fragment;
}

/** Skips the front matter between two lines of ---; the view shows the metadata itself. */
function withoutFrontMatter(lines) {
    if (lines[0] !== '---') {
        return lines;
    }
    const end = lines.indexOf('---', 1);
    return end < 0 ? lines : lines.slice(end + 1);
}

/** Block readers. Each one reads a block at line `at` and returns its node and the next line, or null. */
const READERS = [fence, heading, rule, quote, list, table, paragraph];

function blocks(lines, place) {
    const nodes = [];
    let at = 0;
    while (at < lines.length) {
        if (lines[at].trim() === '') {
            at++;
            continue;
        }
        for (const reader of READERS) {
            const found = reader(lines, at, place);
            if (found) {
                nodes.push(found.node);
                at = found.next;
                break;
            }
        }
    }
    return nodes;
}

function fence(lines, at) {
    const opening = FENCE.exec(lines[at]);
    if (!opening) {
        return null;
    }
    const mark = opening[1];
    const isEnd = (line) => {
        const text = line.trim();
        return text.length >= mark.length && text === mark[0].repeat(text.length);
    };
    let end = at + 1;
    while (end < lines.length && !isEnd(lines[end])) {
        end++;
    }
    const code = h('code', {}, lines.slice(at + 1, end).join('\n'));
    return { node: h('pre', { tabindex: 0, 'data-language': opening[2].trim() || null }, code), next: end + 1 };
}

function heading(lines, at, { topLevel }) {
    const found = HEADING.exec(lines[at]);
    if (!found) {
        return null;
    }
    const level = Math.min(6, found[1].length + topLevel - 1);
    return { node: h(`h${level}`, {}, inline(withoutClosing((found[2] ?? '').trim()))), next: at + 1 };
}

/** Removes the closing # characters of a heading. (A regular expression takes quadratic time on a line of spaces.) */
function withoutClosing(text) {
    let end = text.length;
    while (text[end - 1] === '#') {
        end--;
    }
    return end === 0 || /\s/.test(text[end - 1]) ? text.slice(0, end).trimEnd() : text;
}

function rule(lines, at) {
    return RULE.test(lines[at]) ? { node: h('hr'), next: at + 1 } : null;
}

function quote(lines, at, place) {
    if (!QUOTE.test(lines[at]) || place.depth >= DEPTH_MAX) {
        return null;
    }
    let end = at;
    const inside = [];
    while (end < lines.length && QUOTE.test(lines[end])) {
        inside.push(QUOTE.exec(lines[end])[1]);
        end++;
    }
    return { node: h('blockquote', {}, blocks(inside, deeper(place))), next: end };
}

/** Reads list items with the same marker, and the lines indented below each. */
function list(lines, at, place) {
    const first = ITEM.exec(lines[at]);
    if (!first || place.depth >= DEPTH_MAX) {
        return null;
    }
    const kind = first[2].at(-1);
    const items = [];
    let next = at;
    for (;;) {
        const found = next < lines.length && ITEM.exec(lines[next]);
        if (!found || found[2].at(-1) !== kind || (RULE.test(lines[next]) && next > at)) {
            break;
        }
        const item = itemLines(lines, next, found);
        items.push(h('li', {}, tight(blocks(item.inside, deeper(place)))));
        next = item.next;
    }
    const ordered = /\d/.test(first[2]);
    const start = ordered && Number.parseInt(first[2], 10) !== 1 ? Number.parseInt(first[2], 10) : null;
    return { node: h(ordered ? 'ol' : 'ul', { start }, items), next };
}

function itemLines(lines, at, found) {
    const indent = found[1].length + found[2].length + Math.min(4, Math.max(1, found[3].length));
    const inside = [found[4]];
    let next = at + 1;
    while (next < lines.length) {
        const line = lines[next];
        if (line.trim() === '') {
            const after = lines.slice(next, next + 3).find((later) => later.trim() !== '');
            if (after === undefined || leading(after) < indent) {
                break;
            }
            inside.push('');
        } else if (leading(line) >= indent) {
            inside.push(line.slice(indent));
        } else if (lines[next - 1].trim() === '' || startsBlock(line)) {
            break;
        } else {
            inside.push(line.trimStart());
        }
        next++;
    }
    while (next < lines.length && lines[next].trim() === '') {
        next++;
    }
    return { inside, next };
}

function leading(line) {
    return line.length - line.trimStart().length;
}

/** A list whose items have one line each is rendered without paragraphs (CommonMark: a tight list). */
function tight(nodes) {
    return nodes[0]?.tagName === 'P' ? [[...nodes[0].childNodes], nodes.slice(1)] : nodes;
}

function table(lines, at) {
    if (!lines[at].includes('|') || at + 1 >= lines.length || !TABLE_RULE.test(lines[at + 1])) {
        return null;
    }
    const head = cells(lines[at]);
    const width = cells(lines[at + 1]).length;
    if (head.length !== width) {
        return null;
    }
    let end = at + 2;
    const rows = [];
    while (end < lines.length && lines[end].trim() !== '' && lines[end].includes('|')) {
        rows.push(cells(lines[end]).slice(0, width));
        end++;
    }
    const hasHead = head.some((cell) => cell !== '');
    return {
        node: h('div', { class: 'table-frame', tabindex: 0 }, h('table', { class: 'plain' },
            hasHead && h('thead', {}, h('tr', {}, head.map((cell) => h('th', { scope: 'col' }, inline(cell))))),
            h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell) => h('td', {}, inline(cell)))))))),
        next: end,
    };
}

/** Splits a row into cells; a bar after a backslash belongs to the cell (GFM, section 4.10). */
function cells(line) {
    const found = [''];
    const row = line.trim().replace(/^\|/, '').replace(/(^|[^\\])\|$/, '$1');
    for (let at = 0; at < row.length; at++) {
        if (row[at] === '\\' && row[at + 1] === '|') {
            found[found.length - 1] += '|';
            at++;
        } else if (row[at] === '|') {
            found.push('');
        } else {
            found[found.length - 1] += row[at];
        }
    }
    return found.map((cell) => cell.trim());
}

function startsBlock(line) {
    return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
}

/** Reads a paragraph. It always consumes at least one line, so that parsing terminates. */
function paragraph(lines, at) {
    let end = at + 1;
    while (end < lines.length && lines[end].trim() !== '' && !startsBlock(lines[end])) {
        end++;
    }
    return { node: h('p', { dir: 'auto' }, inline(lines.slice(at, end).join('\n'))), next: end };
}

function deeper(place) {
    return { ...place, depth: place.depth + 1 };
}
