package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.internal.fetch.RequestOptions;
import dev.orbweaver.internal.sink.Compression;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.ScopeType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

class CrawlConfigTest {

    @Test
    void theDefaultsAreThoseThatTheManualNames() throws ConfigException {
        var config = CrawlConfig.of("https://a.test/");
        assertThat(config.scope().scopeType()).isEqualTo(ScopeType.HOST);
        assertThat(config.scope().depthMax()).isEqualTo(Integer.MAX_VALUE);
        assertThat(config.scope().skipExtensions()).contains("png", "zip").doesNotContain("html");
        assertThat(config.politeness().hostDelay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.politeness().ipDelay()).isEqualTo(Duration.ofMillis(100));
        assertThat(config.politeness().domainDelay()).isZero();
        assertThat(config.politeness().concurrencyPerHost()).isEqualTo(1);
        assertThat(config.crawl().concurrency()).isEqualTo(512);
        assertThat(config.crawl().obeyRobots()).isTrue();
        assertThat(config.crawl().sitemaps()).isTrue();
        assertThat(config.crawl().retry().retryDelay(0)).contains(Duration.ofSeconds(5));
        assertThat(config.crawl().retry().retryDelay(1)).contains(Duration.ofSeconds(30));
        assertThat(config.crawl().retry().retryDelay(2)).isEmpty();
        assertThat(config.crawl().idleWaitMax()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.crawl().stopGrace()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.crawl().limits().pages()).isEqualTo(Long.MAX_VALUE);
        assertThat(config.warc().compression()).isEqualTo(Compression.GZIP);
    }

    @Test
    void everyDefaultIsAValueItsSettingTakes() throws ConfigException {
        for (var setting : Settings.CORE.all()) {
            if (!setting.key().equals(Settings.SEEDS)) {
                var settingValues = new SettingValues().put(Settings.SEEDS, "a.test");
                if (!setting.defaultValue().isEmpty()) {
                    settingValues.put(setting.key(), setting.defaultValue());
                }
                assertThat(withoutValues(CrawlConfig.read(settingValues)))
                        .as(setting.key())
                        .isEqualTo(withoutValues(CrawlConfig.of("a.test")));
            }
        }
    }

    /** Everything but the texts, which differ where a default was written out. */
    static List<Object> withoutValues(CrawlConfig config) {
        return List.of(
                config.seeds(),
                config.scope().toString(),
                config.politeness(),
                config.crawl(),
                config.networkSettings(),
                config.warc(),
                config.normalisation());
    }

    @Test
    void everyWrongNameIsReportedAtOnceWithTheNearestRightOne() {
        var settingValues =
                new SettingValues()
                        .put(Settings.SEEDS, "a.test")
                        .put("max-page", "5")
                        .put("dealy", "1s")
                        .put("userAgent", "x")
                        .put("qqqqqqqqqqqq", "x")
                        .put("max-depth", "deep");
        assertThat(problems(settingValues))
                .containsExactly(
                        "unknown setting max-page; did you mean max-pages?",
                        "unknown setting dealy; did you mean delay?",
                        "unknown setting userAgent; did you mean user-agent?",
                        "unknown setting qqqqqqqqqqqq",
                        "max-depth: 'deep' is not a whole number, 0 or more, or none");
    }

    @Test
    void everyWrongValueIsReportedAtOnce() {
        var settingValues = new SettingValues().put(Settings.SEEDS, List.of("htp:/x", "http://"));
        for (var setting : Settings.CORE.all()) {
            switch (setting.valueType()) {
                case COUNT, FACTOR, DURATION, SIZE, SWITCH, CHOICE ->
                        settingValues.put(setting.key(), "much");
                case TEXT -> settingValues.put(setting.key(), "two\r\nlines");
                case LIST -> {}
            }
        }
        settingValues.put("include", "(").put("resolve", "a.test").put("exclude", "(?=x)");
        var expected =
                Settings.CORE.all().stream()
                                .filter(s -> s.valueType() != Setting.ValueType.LIST)
                                .count()
                        + 5;
        assertThat(problems(settingValues))
                .hasSize(Math.toIntExact(expected))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({
        "seeds, http://u:p@a.test/",
        "seeds, htp:/x",
        "max-page, 5",
        "max-depth, deep",
        "user-agent, \u00e4",
        "exclude-hosts, a\u0001b",
        "cookies-file, a\u0001b",
        "include, (",
        "exclude, ((a{100}){100}){100}",
        "host-rule, a.test",
        "rate-group, a.test",
        "header, a.test",
        "header, 'a.test Host: b'",
        "credentials, a.test",
        "credentials, http://a.test/ bearer env:ORBWEAVER_UNSET",
        "proxy, a.test",
        "proxy, http://env:ORBWEAVER_UNSET@a.test:1",
        "proxy, http://%zz@a.test:1",
        "resolve, a.test",
        "dns, a.test",
        "allow-addresses, a.test",
        "allow-origins, a.test/x",
        "robots, maybe",
        "robots, custom /nonexistent",
        "min-delay, 9h"
    })
    void aProblemHasTheKeyOfItsSetting(String key, String value) {
        var settingValues = new SettingValues().put(Settings.SEEDS, "a.test").put(key, value);
        var e = catchThrowableOfType(ConfigException.class, () -> CrawlConfig.read(settingValues));
        assertThat(e.problems()).extracting(Problem::key).containsExactly(key);
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.test, http://a.test/, false",
        "HTTPS://A.test:443/X?y#z, https://a.test/X?y, false",
        "example.com, https://example.com/, true",
        "' example.com/a b ', https://example.com/a%20b, true",
        "example.com:8080, https://example.com:8080/, true",
        "localhost:8080/x, https://localhost:8080/x, true",
        "LocalHost, https://localhost/, true",
        "192.0.2.1/x, https://192.0.2.1/x, true",
        "[2001:db8::1]:81/x, https://[2001:db8::1]:81/x, true",
        "http://[::1]/, http://[::1]/, false",
        "bücher.example, https://xn--bcher-kva.example/, true"
    })
    void seedsAreReadAsPeopleTypeThem(String text, String url, boolean guessed)
            throws ConfigException {
        var seed = CrawlConfig.of(text).seeds().getFirst();
        assertThat(seed.url().text()).isEqualTo(url);
        assertThat(seed.schemeGuessed()).isEqualTo(guessed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "htp:/x",
                "http://",
                "https:///",
                "ftp://x.test/",
                "http:/a.test",
                "mailto:a@b.test",
                "example",
                "/path",
                "./file.html",
                "a.test:port/",
                "a@b.test",
                "[::1",
                "::1",
                "",
                "javascript:alert(1)",
                "two words.test",
                "file:///etc/x.y"
            })
    void whatIsNoSeedIsNamedInASentence(String text) {
        assertThat(problems(new SettingValues().put(Settings.SEEDS, text)))
                .containsExactly(
                        "'"
                                + text
                                + "' is not an http or https URL; expected for example"
                                + " https://example.com/");
    }

    @Test
    void aSeedIsShownWithoutItsControlCharactersAndNotWhole() {
        var problem =
                problems(new SettingValues().put(Settings.SEEDS, "\u001b[2Jx\n" + "y".repeat(999)))
                        .getFirst();
        assertThat(problem).startsWith("' [2Jx yyy").hasSizeLessThan(300).doesNotContain("\u001b");
    }

    @Test
    void withoutASeedThereIsNoCrawl() {
        assertThat(problems(new SettingValues()))
                .containsExactly("no seed URL; expected for example https://example.com/");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | '' | Orbweaver/0 (no contact given) | orbweaver",
                "'' | me@a.test | Orbweaver/0 (+me@a.test) | orbweaver",
                "Foo/2 | https://a.test/bot | Foo/2 (+https://a.test/bot) | foo",
                "Foo/2 (+me@a.test) | me@a.test | Foo/2 (+me@a.test) | foo",
                "Foo/2 (+https://a.test/) | '' | Foo/2 (+https://a.test/) | foo",
                "Foo/2 | '' | Foo/2 (no contact given) | foo",
                "7Bot/2 | '' | 7Bot/2 (no contact given) | orbweaver"
            })
    void theUserAgentIsHonest(String agent, String contact, String expected, String token)
            throws ConfigException {
        var config =
                CrawlConfig.of("a.test")
                        .withSetting("user-agent", agent)
                        .withSetting("contact", contact);
        assertThat(config.networkSettings().userAgent()).isEqualTo(expected);
        assertThat(config.networkSettings().hasContact())
                .isEqualTo(!expected.contains("no contact"));
        assertThat(config.crawl().productToken()).isEqualTo(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x\r\nCookie: a", "x\ny", "x\u0000", "x\u007f", "Zoë", "x\ty"})
    void nothingCanSmuggleAHeaderIn(String text) {
        for (var key : List.of("user-agent", "contact")) {
            assertThat(problems(new SettingValues().put(Settings.SEEDS, "a.test").put(key, text)))
                    .containsExactly(key + " must be printable ASCII in one line");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1s, auto, PT0.1S",
        "50ms, auto, PT0.05S",
        "0, auto, PT0S",
        "none, auto, PT0S",
        "0, 2s, PT2S",
        "5s, 0, PT0S",
        "5s, none, PT0S"
    })
    void aShorterDelayLowersTheGateOfTheAddressUnlessThatWasSet(
            String delay, String ip, Duration expected) throws ConfigException {
        var config =
                CrawlConfig.of("a.test").withSetting("delay", delay).withSetting("delay-ip", ip);
        assertThat(config.politeness().ipDelay()).isEqualTo(expected);
        var unsaid = CrawlConfig.of("a.test").withSetting("delay", delay);
        if (ip.equals("auto")) {
            assertThat(unsaid.politeness()).isEqualTo(config.politeness());
        }
    }

    @Test
    void noneIsNoLimitAndNoDelay() throws ConfigException {
        var config = CrawlConfig.of("a.test");
        for (var key :
                List.of("max-pages", "max-time", "max-bytes", "max-depth", "max-idle-wait")) {
            config = config.withSetting(key, "None");
        }
        for (var key :
                List.of("delay", "delay-domain", "retry-delay", "stop-grace", "max-retries")) {
            config = config.withSetting(key, "none");
        }
        assertThat(config.crawl().limits().pages()).isEqualTo(Long.MAX_VALUE);
        assertThat(config.crawl().limits().bytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(config.crawl().limits().time()).isGreaterThan(Duration.ofDays(30_000));
        assertThat(config.crawl().idleWaitMax()).isGreaterThan(Duration.ofDays(30_000));
        assertThat(config.scope().depthMax()).isEqualTo(Integer.MAX_VALUE);
        assertThat(config.politeness().hostDelay()).isZero();
        assertThat(config.politeness().domainDelay()).isZero();
        assertThat(config.crawl().stopGrace()).isZero();
        assertThat(config.crawl().retry().retryDelay(0)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "concurrency, 0",
        "concurrency, 2147483648",
        "concurrency, 99999999999999999999",
        "concurrency, none",
        "concurrency-per-host, 0",
        "max-pages, 0",
        "max-pages, -1",
        "max-pages, 99999999999999999999",
        "max-retries, 2147483648",
        "timeout, 0",
        "connect-timeout, 0s",
        "max-bytes, 9999999999TB",
        "sitemaps, maybe",
        "scope, everything",
        "robots, fight"
    })
    void whatCannotBeIsRefused(String key, String value) {
        assertThat(problems(new SettingValues().put(Settings.SEEDS, "a.test").put(key, value)))
                .singleElement()
                .asString()
                .startsWith(key + ": '" + value + "' is not ");
    }

    @Test
    void aTimeForTheWholeBoundsTheTimesOfItsParts() throws ConfigException {
        var networkSettings =
                CrawlConfig.of("a.test").withSetting("timeout", "3s").networkSettings();
        assertThat(networkSettings.timeouts().connect()).isEqualTo(Duration.ofSeconds(3));
        assertThat(networkSettings.timeouts().firstByte()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void connectionsFollowTheWorkersUnlessTheyAreCounted() throws ConfigException {
        var config = CrawlConfig.of("a.test").withSetting("concurrency", "7");
        assertThat(config.networkSettings().connectionLimits().max()).isEqualTo(42);
        assertThat(config.networkSettings().connectionLimits().perEndpoint()).isEqualTo(7);
        var counted =
                config.withSetting("max-connections", "5")
                        .withSetting("max-connections-per-host", "2");
        assertThat(counted.networkSettings().connectionLimits().max()).isEqualTo(5);
        assertThat(counted.networkSettings().connectionLimits().perEndpoint()).isEqualTo(2);
    }

    @Test
    void headersCredentialsAndAProxyAreRead() throws ConfigException {
        var requestOptions =
                CrawlConfig.read(
                                new SettingValues()
                                        .put(Settings.SEEDS, "a.test")
                                        .put("header", List.of("A.test X-One: 1", "a.test X-Two:2"))
                                        .put(
                                                "credentials",
                                                List.of(
                                                        "https://A.test:443 basic me:se cret",
                                                        "http://b.test:8080/ Bearer abc"))
                                        .put("cookies", "yes")
                                        .put("proxy", "socks5://u:p@[::1]:1080"))
                        .networkSettings()
                        .requestOptions();
        assertThat(requestOptions.headers())
                .containsExactly(
                        Map.entry(
                                "a.test",
                                List.of(
                                        new RequestOptions.Header("X-One", "1"),
                                        new RequestOptions.Header("X-Two", "2"))));
        assertThat(requestOptions.credentials())
                .containsEntry("https://a.test", RequestOptions.Credential.basic("me:se cret"))
                .containsEntry("http://b.test:8080", RequestOptions.Credential.bearer("abc"));
        assertThat(requestOptions.cookies()).isTrue();
        assertThat(requestOptions.proxy())
                .contains(
                        new RequestOptions.Proxy(
                                RequestOptions.Proxy.Kind.SOCKS5, "[::1]", 1080, "u:p"));
    }

    @Test
    void secretsMayComeFromTheEnvironmentWhollyOrInPart() throws ConfigException {
        var home = System.getenv("HOME");
        var config = CrawlConfig.of("a.test");
        assertThat(
                        config.withSetting("credentials", "https://a.test basic u:env:HOME")
                                .networkSettings()
                                .requestOptions())
                .extracting(RequestOptions::credentials)
                .isEqualTo(Map.of("https://a.test", RequestOptions.Credential.basic("u:" + home)));
        assertThat(
                        config.withSetting("proxy", "http://env:HOME@p:1")
                                .networkSettings()
                                .requestOptions()
                                .proxy())
                .contains(new RequestOptions.Proxy(RequestOptions.Proxy.Kind.HTTP, "p", 1, home));
        assertThat(
                        config.withSetting("proxy", "http://u:env:HOME@p:1")
                                .networkSettings()
                                .requestOptions()
                                .proxy())
                .contains(
                        new RequestOptions.Proxy(
                                RequestOptions.Proxy.Kind.HTTP, "p", 1, "u:" + home));
    }

    @Test
    void aProxysLoginIsPercentDecoded() throws ConfigException {
        assertThat(
                        CrawlConfig.of("a.test")
                                .withSetting("proxy", "http://me:a%40b+c%3A@p:1")
                                .networkSettings()
                                .requestOptions()
                                .proxy())
                .contains(
                        new RequestOptions.Proxy(
                                RequestOptions.Proxy.Kind.HTTP, "p", 1, "me:a@b+c:"));
    }

    @ParameterizedTest
    @CsvSource({
        "header, a.test",
        "header, X-One: 1",
        "header, a.test Host: b.test",
        "header, a.test:81 X: y",
        "credentials, https://a.test basic geheim",
        "credentials, https://a.test/path basic u:geheim",
        "credentials, a.test basic u:geheim",
        "credentials, https://a.test digest u:geheim",
        "credentials, https://a.test bearer env:ORBWEAVER_NO_SUCH_NAME",
        "credentials, https://a.test basic u:env:ORBWEAVER_NO_SUCH_NAME",
        "proxy, http://u:env:ORBWEAVER_NO_SUCH_NAME@a.test:1",
        "proxy, http://u:geheim%zz@a.test:1",
        "proxy, ftp://a.test:1",
        "proxy, http://u:geheim@a.test",
        "proxy, http://u:geheim@a.test:99999"
    })
    void whatCannotBeCarriedIsRefusedWithoutRepeatingASecret(String key, String text) {
        assertThat(problems(new SettingValues().put(Settings.SEEDS, "a.test").put(key, text)))
                .singleElement()
                .asString()
                .startsWith(key)
                .doesNotContain("geheim");
    }

    @Test
    void namesAndNameServersAreGivenByAddress() throws ConfigException {
        var networkSettings =
                CrawlConfig.read(
                                new SettingValues()
                                        .put(Settings.SEEDS, "a.test")
                                        .put("resolve", List.of("A.test=192.0.2.7", "b.test=::1"))
                                        .put("dns-server", "[::1]:5353"))
                        .networkSettings();
        assertThat(networkSettings.fixedAddresses())
                .containsEntry("a.test", InetAddress.ofLiteral("192.0.2.7"))
                .containsEntry("b.test", InetAddress.ofLiteral("::1"));
        assertThat(networkSettings.nameServer())
                .contains(new InetSocketAddress(InetAddress.ofLiteral("::1"), 5353));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.test", "=192.0.2.1", "a.test=", "a.test=b.test", "a.test=1.2.3.4.5"})
    void whatIsNoHostAndAddressIsRefused(String text) {
        assertThat(problems(new SettingValues().put(Settings.SEEDS, "a.test").put("resolve", text)))
                .containsExactly("resolve: '" + text + "' is not HOST=ADDRESS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.1", "192.0.2.1:0", "192.0.2.1:65536", "name:53", ":53", "x"})
    void whatIsNoNameServerIsRefused(String text) {
        assertThat(
                        problems(
                                new SettingValues()
                                        .put(Settings.SEEDS, "a.test")
                                        .put("dns-server", text)))
                .containsExactly("dns-server: '" + text + "' is not ADDRESS:PORT");
    }

    @Test
    void onlyLiteralSeedsGrantTheirOwnAddress() throws ConfigException {
        var config =
                CrawlConfig.of(
                        "localhost:1", "http://127.0.0.1/", "http://[::1]/", "a.test", "a1.test");
        assertThat(config.networkSettings().addresses().origins())
                .containsExactlyInAnyOrder(
                        "https://localhost:1",
                        "http://localhost:1",
                        "http://127.0.0.1",
                        "http://[::1]");
    }

    @Test
    void extensionsMayBeWrittenInManyWays() throws ConfigException {
        var list =
                new SettingValues()
                        .put(Settings.SEEDS, "a.test")
                        .put("skip-extensions", List.of(".PDF, zip", "", "gz,"));
        assertThat(CrawlConfig.read(list).scope().skipExtensions())
                .containsExactlyInAnyOrder("pdf", "zip", "gz");
        assertThat(
                        CrawlConfig.of("a.test")
                                .withSetting("skip-extensions", "")
                                .scope()
                                .skipExtensions())
                .isEmpty();
    }

    @Test
    void settingsDecideWhichUrlDifferencesAreIgnored() throws ConfigException {
        assertThat(CrawlConfig.of("a.test").normalisation()).isEqualTo(Normalisation.DEFAULT);
        var settingValues =
                new SettingValues()
                        .put(Settings.SEEDS, "a.test")
                        .put("sort-query", "yes")
                        .put("ignore-tracking", "yes")
                        .put("ignore-sessions", "yes")
                        .put("ignore-parameters", List.of("ref, Cache*", "v"))
                        .put("ignore-trailing-slash", "yes")
                        .put("ignore-index-file", "yes");
        assertThat(CrawlConfig.read(settingValues).normalisation())
                .isEqualTo(
                        new Normalisation(
                                true, true, true, Set.of("ref", "cache*", "v"), true, true));
    }

    @Test
    void pairsNeedAName() {
        var e =
                catchThrowableOfType(
                        ConfigException.class,
                        () -> new SettingValues().putPairs(List.of("a=b=c", "=x")));
        assertThat(e.problems())
                .containsExactly(new Problem("", "a setting is NAME=VALUE, not '=x'"));
    }

    private static List<String> problems(SettingValues settingValues) {
        var e = catchThrowableOfType(ConfigException.class, () -> CrawlConfig.read(settingValues));
        return e.problems().stream().map(Problem::message).toList();
    }
}
