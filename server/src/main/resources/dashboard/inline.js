// Renders inline Markdown as DOM nodes. Links are http or https only and open in another tab. Images are not loaded, only
// named: loading one would disclose the reader to the image's server.

import { h, outward } from './dom.js';

/** The maximum nesting of emphasis and links; deeper ones are shown as text. */
const DEPTH_MAX = 8;

/** The maximum length of a URL and of emphasised text, which bounds the search for the end. */
const STRETCH_MAX = 2048;
const EMPHASIS_MAX = 500;

/** The maximum length of a block parsed as inline Markdown; the rest is shown as text. */
const CHARS_MAX = 20_000;

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/y;
const AUTOLINK = /<(https?:\/\/[^\s<>]{1,2000})>/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

/** Characters at which anything but plain text may begin. */
const SPECIAL = /[\\`*_[!<&~\n]/g;

/** @returns {Array<Node|string>} the rendered text */
export function inline(text, depth = 0) {
    const nodes = new Reader(text.slice(0, CHARS_MAX), depth).nodes();
    return text.length > CHARS_MAX ? [...nodes, text.slice(CHARS_MAX)] : nodes;
}

class Reader {
    #text;
    #depth;
    #at = 0;
    #nodes = [];
    #plain = '';
    #brackets = null;

    constructor(text, depth) {
        this.#text = text;
        this.#depth = depth;
    }

    nodes() {
        while (this.#at < this.#text.length) {
            this.#skipToSpecial();
            if (this.#at < this.#text.length && !this.#special()) {
                this.#plain += this.#text[this.#at++];
            }
        }
        this.#flush();
        return this.#nodes;
    }

    #skipToSpecial() {
        SPECIAL.lastIndex = this.#at;
        const next = SPECIAL.exec(this.#text)?.index ?? this.#text.length;
        this.#plain += this.#text.slice(this.#at, next);
        this.#at = next;
    }

    /** Reads the element that begins here, if any. */
    #special() {
        switch (this.#text[this.#at]) {
            case '\\': return this.#escape();
            case '`': return this.#code();
            case '*': case '_': return this.#emphasis();
            case '~': return this.#struck();
            case '[': return this.#link();
            case '!': return this.#picture();
            case '<': return this.#autolink();
            case '&': return this.#entity();
            default: return this.#lineEnd();
        }
    }

    #escape() {
        const next = this.#text[this.#at + 1];
        if (next === '\n') {
            this.#push(h('br'), this.#at + 2);
            return true;
        }
        if (next === undefined || !PUNCTUATION.test(next)) {
            return false;
        }
        this.#plain += next;
        this.#at += 2;
        return true;
    }

    #lineEnd() {
        let blanks = 0;
        while (this.#text[this.#at - 1 - blanks] === ' ') {
            blanks++;
        }
        if (blanks > 0) {
            this.#plain = this.#plain.slice(0, -blanks);
        }
        if (blanks > 1) {
            this.#push(h('br'), this.#at + 1);
        } else {
            this.#plain += ' ';
            this.#at++;
        }
        return true;
    }

    #code() {
        const ticks = run(this.#text, this.#at);
        let end = this.#at + ticks;
        for (;;) {
            end = this.#text.indexOf('`', end);
            if (end < 0) {
                // All of these backticks are text: the next one would search for the same missing end again.
                this.#plain += '`'.repeat(ticks);
                this.#at += ticks;
                return true;
            }
            const found = run(this.#text, end);
            if (found === ticks) {
                break;
            }
            end += found;
        }
        const inside = this.#text.slice(this.#at + ticks, end).replaceAll('\n', ' ');
        const padded = inside.startsWith(' ') && inside.endsWith(' ') && inside.trim() !== '';
        this.#push(h('code', {}, padded ? inside.slice(1, -1) : inside), end + ticks);
        return true;
    }

    #emphasis() {
        const mark = this.#text[this.#at];
        const length = Math.min(3, run(this.#text, this.#at));
        const inWord = mark === '_' && /[\p{L}\p{N}]/u.test(this.#text[this.#at - 1] ?? '');
        if (this.#depth >= DEPTH_MAX || inWord) {
            return this.#asText(run(this.#text, this.#at));
        }
        for (let size = length; size > 0; size--) {
            const end = this.#closing(mark, size);
            if (end >= 0) {
                const inside = inline(this.#text.slice(this.#at + size, end), this.#depth + 1);
                const node = size === 1 ? h('em', {}, inside) : h('strong', {}, size === 3 ? h('em', {}, inside) : inside);
                this.#push(node, end + size);
                return true;
            }
        }
        return this.#asText(run(this.#text, this.#at));
    }

    /** Finds the end of emphasis: the same number of markers, not after a space, not in code, not escaped. */
    #closing(mark, size) {
        const start = this.#at + size;
        if (/\s/.test(this.#text[start] ?? ' ')) {
            return -1;
        }
        const limit = Math.min(this.#text.length, start + EMPHASIS_MAX);
        let at = start;
        while (at < limit) {
            const char = this.#text[at];
            if (char === '\\') {
                at += 2;
            } else if (char === '`') {
                const ticks = run(this.#text, at);
                const close = this.#text.indexOf('`'.repeat(ticks), at + ticks);
                at = close < 0 ? at + ticks : close + ticks;
            } else if (char === mark) {
                const marks = run(this.#text, at);
                const closes = at > start && !/\s/.test(this.#text[at - 1]);
                const endsWord = mark === '*' || !/[\p{L}\p{N}]/u.test(this.#text[at + marks] ?? '');
                // Two markers inside single emphasis belong to a nested strong; three close both.
                if (closes && endsWord && (marks === size || marks >= 3)) {
                    return at + marks - size;
                }
                at += marks;
            } else {
                at++;
            }
        }
        return -1;
    }

    #struck() {
        const end = this.#text.startsWith('~~', this.#at) ? this.#text.indexOf('~~', this.#at + 2) : -1;
        if (end < 0 || this.#depth >= DEPTH_MAX) {
            return this.#asText(run(this.#text, this.#at));
        }
        this.#push(h('s', {}, inline(this.#text.slice(this.#at + 2, end), this.#depth + 1)), end + 2);
        return true;
    }

    #link() {
        const found = this.#depth < DEPTH_MAX ? this.#target(this.#at) : null;
        if (!found) {
            return false;
        }
        this.#push(outward(found.url, inline(found.text, this.#depth + 1)), found.next);
        return true;
    }

    #picture() {
        const found = this.#text[this.#at + 1] === '[' ? this.#target(this.#at + 1) : null;
        if (!found) {
            return false;
        }
        const name = unescaped(found.text) || 'picture';
        this.#push(h('span', { class: 'picture' }, `${name} `, h('span', { class: 'picture-url' }, found.url)), found.next);
        return true;
    }

    /** Reads `[text](url "title")` from its bracket. */
    #target(open) {
        this.#brackets ??= bracketPairs(this.#text);
        const close = this.#brackets.get(open);
        if (close === undefined || this.#text[close + 1] !== '(') {
            return null;
        }
        const end = this.#closingParenthesis(close + 1);
        if (end < 0) {
            return null;
        }
        const inside = this.#text.slice(close + 2, end).trim();
        const url = inside.startsWith('<') ? inside.slice(1, inside.indexOf('>')) : inside.split(/\s/, 1)[0];
        return { text: this.#text.slice(open + 1, close), url: unescaped(url), next: end + 1 };
    }

    /** Finds the end of a URL in parentheses. */
    #closingParenthesis(open) {
        const limit = Math.min(this.#text.length, open + STRETCH_MAX);
        let level = 0;
        for (let at = open; at < limit; at++) {
            const char = this.#text[at];
            if (char === '\\') {
                at++;
            } else if (char === '(') {
                level++;
            } else if (char === ')' && --level === 0) {
                return at;
            }
        }
        return -1;
    }

    #autolink() {
        AUTOLINK.lastIndex = this.#at;
        const found = AUTOLINK.exec(this.#text);
        if (!found) {
            return false;
        }
        this.#push(outward(found[1]), this.#at + found[0].length);
        return true;
    }

    #entity() {
        const found = entity(this.#text, this.#at);
        if (!found) {
            return false;
        }
        this.#plain += found.text;
        this.#at += found.length;
        return true;
    }

    #asText(chars) {
        this.#plain += this.#text.slice(this.#at, this.#at + chars);
        this.#at += chars;
        return true;
    }

    #push(node, next) {
        this.#flush();
        this.#nodes.push(node);
        this.#at = next;
    }

    #flush() {
        if (this.#plain !== '') {
            this.#nodes.push(this.#plain);
            this.#plain = '';
        }
    }
}

/** Finds all pairs of brackets in one pass: a text of only opening brackets takes linear time, too. */
function bracketPairs(text) {
    const pairs = new Map();
    const open = [];
    for (let at = 0; at < text.length; at++) {
        if (text[at] === '\\') {
            at++;
        } else if (text[at] === '[') {
            open.push(at);
        } else if (text[at] === ']' && open.length) {
            pairs.set(open.pop(), at);
        }
    }
    return pairs;
}

/** Counts the repetitions of a character from a position. */
function run(text, at) {
    let end = at + 1;
    while (text[end] === text[at]) {
        end++;
    }
    return end - at;
}

function entity(text, at) {
    ENTITY.lastIndex = at;
    const found = ENTITY.exec(text);
    if (!found) {
        return null;
    }
    const [all, decimal, hex, name] = found;
    const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex ?? '0', 16);
    const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return { text: name ? ENTITIES[name] : valid ? String.fromCodePoint(code) : '\ufffd', length: all.length };
}

/** Resolves backslash escapes and entities. */
function unescaped(text) {
    let plain = '';
    for (let at = 0; at < text.length; at++) {
        const found = text[at] === '&' ? entity(text, at) : null;
        if (found) {
            plain += found.text;
            at += found.length - 1;
        } else if (text[at] === '\\' && PUNCTUATION.test(text[at + 1] ?? '')) {
            plain += text[++at];
        } else {
            plain += text[at];
        }
    }
    return plain;
}
