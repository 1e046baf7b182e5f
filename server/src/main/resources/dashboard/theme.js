// Runs before the first paint: a page that turns dark after it was shown light hurts.
(function () {
    'use strict';

    var chosen = 'auto';
    try {
        chosen = localStorage.getItem('orbweaver.theme') || 'auto';
    } catch (refused) {
        // Storage may be switched off; the system's choice is a good one.
        chosen = 'auto';
    }
    if (chosen === 'light' || chosen === 'dark') {
        document.documentElement.dataset.theme = chosen;
    }
})();
