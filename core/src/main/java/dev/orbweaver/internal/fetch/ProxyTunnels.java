package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.fetch.RequestOptions.Proxy;

import io.netty.handler.proxy.HttpProxyHandler;
import io.netty.handler.proxy.ProxyHandler;
import io.netty.handler.proxy.Socks4ProxyHandler;
import io.netty.handler.proxy.Socks5ProxyHandler;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connects through proxies: always a tunnel to the address that passed the guard, never to a name
 * that the proxy could resolve to another address.
 */
final class ProxyTunnels {

    private ProxyTunnels() {}

    /** Creates the first handler of a connection's pipeline. */
    static ProxyHandler proxyHandler(Proxy proxy, FetchSettings.Timeouts timeouts)
            throws IOException, TimeoutException {
        var name = withoutBrackets(proxy.host());
        var address = resolve(() -> InetAddress.getByName(name), timeouts.lookup());
        var handler = newHandler(proxy, new InetSocketAddress(address, proxy.port()));
        handler.setConnectTimeoutMillis(0); // RequestTimeout enforces it.
        return handler;
    }

    /** Resolves a name. The system's resolver has no timeout, so another thread waits for it. */
    static InetAddress resolve(Callable<InetAddress> lookup, Duration atMost)
            throws IOException, TimeoutException {
        var result = new FutureTask<>(lookup);
        var _ = Thread.startVirtualThread(result);
        try {
            return result.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            var failed = new ConnectException("could not resolve the proxy's host name");
            failed.initCause(e.getCause());
            throw failed;
        } catch (TimeoutException e) {
            throw (TimeoutException)
                    new TimeoutException("timed out resolving the proxy's host name").initCause(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted while resolving the proxy's host name");
        }
    }

    private static ProxyHandler newHandler(Proxy proxy, InetSocketAddress address) {
        var user = proxy.user();
        return switch (proxy.kind()) {
            case HTTP ->
                    user.isEmpty()
                            ? new HttpProxyHandler(address)
                            : new HttpProxyHandler(address, user, proxy.password());
            case SOCKS4 ->
                    user.isEmpty()
                            ? new Socks4ProxyHandler(address)
                            : new Socks4ProxyHandler(address, user);
            case SOCKS5 ->
                    user.isEmpty()
                            ? new Socks5ProxyHandler(address)
                            : new Socks5ProxyHandler(address, user, proxy.password());
        };
    }

    private static String withoutBrackets(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Returns an address without its host name, so that the proxy does not learn it. */
    static InetSocketAddress withoutHostName(InetAddress address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address.getAddress()), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("invalid address length", e);
        }
    }
}
