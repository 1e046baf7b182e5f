package dev.orbweaver.server.browser;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Provides the browser to tests. All tests share one, because starting it takes longer than most
 * tests; it is closed after the last test.
 */
final class BrowserExtension implements BeforeAllCallback, ParameterResolver {

    private static final Namespace OURS = Namespace.create(BrowserExtension.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        var _ = browser(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Chromium.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return browser(context);
    }

    private static Chromium browser(ExtensionContext context) {
        return context.getRoot()
                .getStore(OURS)
                .computeIfAbsent(Chromium.class, _ -> Chromium.start(), Chromium.class);
    }
}
