// Formats numbers and times. All functions are pure.

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const HOUR_AND_MINUTE = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
/** A no-break space between a number and its unit. */
const TIE = '\u00a0';
const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** 12,345 */
export function count(number) {
    return WHOLE.format(number ?? 0);
}

/** 12.3K, where the whole number does not fit. */
export function short(number) {
    return Math.abs(number ?? 0) < 10_000 ? count(number) : SHORT.format(number);
}

/** 1 page, 2 pages, 1,200 pages; the plural defaults to the singular with an s. */
export function plural(number, one, many = `${one}s`) {
    return `${count(number)} ${number === 1 ? one : many}`;
}

/** 12.5, 120: a rate of 100 or more is shown without decimals. */
export function rate(number) {
    return (number ?? 0) < 100 ? TENTHS.format(number ?? 0) : count(number);
}

/** 4.2 MB */
export function bytes(number) {
    let value = number ?? 0;
    let unit = 0;
    while (value >= 1000 && unit < BYTE_UNITS.length - 1) {
        value /= 1024;
        unit++;
    }
    if (unit === 0) {
        return plural(value, 'byte');
    }
    return `${value < 10 ? TENTHS.format(value) : WHOLE.format(value)}${TIE}${BYTE_UNITS[unit]}`;
}

/** 340 ms, 4.2 s, 3 min 20 s, 2 h 5 min, 3 d 4 h: at most two units. */
export function duration(ms) {
    const value = Math.max(0, ms ?? 0);
    if (value < 1000) {
        return `${WHOLE.format(value)}${TIE}ms`;
    }
    if (value < 10_000) {
        return `${TENTHS.format(value / 1000)}${TIE}s`;
    }
    const seconds = Math.floor(value / 1000);
    const parts = [
        [Math.floor(seconds / 86_400), 'd'],
        [Math.floor(seconds / 3600) % 24, 'h'],
        [Math.floor(seconds / 60) % 60, 'min'],
        [seconds % 60, 's'],
    ];
    const first = parts.findIndex(([amount]) => amount > 0);
    return parts
        .slice(first, first + 2)
        .filter(([amount]) => amount > 0)
        .map(([amount, unit]) => `${amount}${TIE}${unit}`)
        .join(' ');
}

/** 28 %; a share that would be rounded to 0 % is shown as < 1 %. */
export function percent(share) {
    const value = 100 * (share ?? 0);
    return value > 0 && value < 0.5 ? '< 1 %' : `${WHOLE.format(value)} %`;
}

/** 3 Nov 2026, 14:02:11, in the browser's time zone. */
export function moment(time) {
    return time ? DAY_AND_TIME.format(new Date(time)) : '';
}

/** 14:02:11 */
export function clock(time) {
    return time ? TIME.format(new Date(time)) : '';
}

/** 14:02 */
export function hourAndMinute(time) {
    return HOUR_AND_MINUTE.format(new Date(time));
}

/** The time passed since `time`: just now, 5 s ago. */
export function ago(time, now = Date.now()) {
    const past = now - Date.parse(time);
    return past < 2000 ? 'just now' : `${duration(Math.round(past / 1000) * 1000)} ago`;
}

/** The time passed since `time` in its largest unit: 22 min ago. */
export function roughlyAgo(time, now = Date.now()) {
    const past = now - Date.parse(time);
    return past < 60_000 ? 'just now' : `${duration(past).replace(/(?<=[a-z]) .*/, '')} ago`;
}

/** The time left until `time`: in 3 h 12 min; now, if it has passed. */
export function until(time, now = Date.now()) {
    const left = Date.parse(time) - now;
    return left < 1000 ? 'now' : `in ${duration(Math.round(left / 1000) * 1000)}`;
}
