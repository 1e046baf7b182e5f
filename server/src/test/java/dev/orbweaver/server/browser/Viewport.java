package dev.orbweaver.server.browser;

import com.microsoft.playwright.options.ColorScheme;

import java.util.Locale;

/** The size of a window and the user's preferences. */
enum Viewport {
    DESK(1280, 900, ColorScheme.LIGHT),
    DESK_DARK(1280, 900, ColorScheme.DARK),
    PHONE(360, 740, ColorScheme.LIGHT),
    PHONE_DARK(360, 740, ColorScheme.DARK),
    PHONE_390(390, 844, ColorScheme.LIGHT),
    WIDE(1920, 1080, ColorScheme.LIGHT);

    private final int width;
    private final int height;
    private final ColorScheme scheme;

    Viewport(int width, int height, ColorScheme scheme) {
        this.width = width;
        this.height = height;
        this.scheme = scheme;
    }

    int width() {
        return width;
    }

    int height() {
        return height;
    }

    ColorScheme scheme() {
        return scheme;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
