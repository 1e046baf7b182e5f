// Sets the theme before the first paint, so that a dark page does not flash light.
(function () {
    'use strict';

    var chosen = 'auto';
    try {
        chosen = localStorage.getItem('orbweaver.theme') || 'auto';
    } catch (refused) {
        // Storage may be disabled; use the system's theme.
        chosen = 'auto';
    }
    if (chosen === 'light' || chosen === 'dark') {
        document.documentElement.dataset.theme = chosen;
    }
})();
