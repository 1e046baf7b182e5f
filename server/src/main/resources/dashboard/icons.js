// Icons of buttons. They are decorative: a button with an icon has a label of its own.

import { svg } from './dom.js';

const SHAPES = {
    pause: [['rect', { x: 4, y: 3, width: 3, height: 10, rx: 1 }], ['rect', { x: 9, y: 3, width: 3, height: 10, rx: 1 }]],
    resume: [['path', { d: 'M5 3.2v9.6a.6.6 0 0 0 .9.5l7.4-4.8a.6.6 0 0 0 0-1L5.900 2.700a.6.6 0 0 0-.9.5z' }]],
    stop: [['rect', { x: 3.5, y: 3.5, width: 9, height: 9, rx: 1.5 }]],
    delete: [['path', { d: 'M6.200 2h3.600l.6 1H13v1.400H3V3h2.600zM4 5.400h8l-.6 8a1 1 0 0 1-1 .9H5.600a1 1 0 0 1-1-.9z' }]],
};

/** @param {'pause'|'resume'|'stop'|'delete'} name */
export function icon(name) {
    return svg('svg', { class: 'icon', width: 16, height: 16, viewBox: '0 0 16 16', 'aria-hidden': 'true' },
        SHAPES[name].map(([tag, shape]) => svg(tag, shape)));
}
