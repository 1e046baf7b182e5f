package dev.orbweaver.server.browser;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the browser. All of them share one, which is closed when the last has ended: to start
 * it takes longer than most tests.
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
