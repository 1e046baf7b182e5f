package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import crawlercommons.domains.EffectiveTldFinder;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

class RegistrableDomainTest {

    @Test
    void aHostBelongsToTheLabelBelowItsPublicSuffix() {
        assertThat(RegistrableDomain.of("www.example.com")).isEqualTo("example.com");
        assertThat(RegistrableDomain.of("a.b.example.co.uk")).isEqualTo("example.co.uk");
        assertThat(RegistrableDomain.of("alice.github.io")).isEqualTo("alice.github.io");
        assertThat(RegistrableDomain.of("x.unheard-of.nosuchtld"))
                .isEqualTo("unheard-of.nosuchtld");
    }

    @Test
    void aHostWithoutRegistrableDomainStandsForItself() {
        assertThat(RegistrableDomain.of("192.0.2.1")).isEqualTo("192.0.2.1");
        assertThat(RegistrableDomain.of("[2001:db8::1]")).isEqualTo("[2001:db8::1]");
        assertThat(RegistrableDomain.of("localhost")).isEqualTo("localhost");
        assertThat(RegistrableDomain.of("co.uk")).isEqualTo("co.uk");
        assertThat(RegistrableDomain.of("github.io")).isEqualTo("github.io");
        assertThat(RegistrableDomain.of(".")).isEqualTo(".");
        assertThat(RegistrableDomain.of("..")).isEqualTo("..");
    }

    @Test
    void aDotAtTheEndChangesNothing() {
        assertThat(RegistrableDomain.of("www.example.com.")).isEqualTo("example.com");
        assertThat(RegistrableDomain.of("localhost.")).isEqualTo("localhost.");
    }

    @Test
    void aPublicSuffixIsOneThatTheListNames() {
        assertThat(List.of("com", "co.uk", "github.io", "any.ck", "xn--55qx5d.cn"))
                .allMatch(RegistrableDomain::isPublicSuffix);
        assertThat(List.of("example.com", "www.ck", "localhost", "a.any.ck", "192.0.2.1", "[::1]"))
                .noneMatch(RegistrableDomain::isPublicSuffix);
        assertThat(RegistrableDomain.isPublicSuffix("co.uk.")).isTrue();
    }

    /** NOTICE promises an unmodified copy; a newer one changes this digest and NOTICE together. */
    @Test
    void theListIsAnUnmodifiedCopyWithItsLicence() throws Exception {
        try (var list = list()) {
            var bytes = list.readAllBytes();
            assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)))
                    .isEqualTo("df6306ec61971424ad259757b399911f4d414486629a5a00e299a2b6c7957089");
            assertThat(new String(bytes, UTF_8))
                    .startsWith("// This Source Code Form is subject to the terms of the Mozilla")
                    .contains("===BEGIN ICANN DOMAINS===", "===END PRIVATE DOMAINS===");
        }
    }

    private static InputStream list() {
        return Objects.requireNonNull(
                RegistrableDomainTest.class.getResourceAsStream("public_suffix_list.dat"));
    }

    /**
     * Compares every rule of the list, as the suffix of a longer host and alone, with
     * crawler-commons over the same list. It differs in one point: it knows no rule {@code *}, so
     * it finds no domain below a top-level domain that is not listed.
     */
    @Test
    void crawlerCommonsAgreesOverTheSameList() throws Exception {
        try (var list = list()) {
            assertThat(EffectiveTldFinder.getInstance().initialize(list)).isTrue();
        }
        var failures = new Failures();
        for (var tld : EffectiveTldFinder.getEffectiveTLDs().values()) {
            for (var host : List.of("c.b.a." + tld.getDomain(), "a." + tld.getDomain())) {
                var expected = EffectiveTldFinder.getAssignedDomain(host, true, false);
                failures.check(
                        host, expected == null ? host : expected, RegistrableDomain.of(host));
            }
        }
        failures.assertNone();
        assertThat(failures.cases()).isGreaterThan(20_000);
        assertThat(EffectiveTldFinder.getAssignedDomain("x.unheard-of.nosuchtld", true, false))
                .isNull();
    }

    @Test
    void theListsOwnTestsAgree() {
        var failures = new Failures();
        for (var test : Vectors.json("public-suffix/registrable-domain.json")) {
            if (!test.get("host").isNull()) {
                check(failures, test, test.get("host").stringValue());
            }
        }
        failures.assertNone();
    }

    @Test
    void hostsBuiltFromTheListsRulesAgree() {
        var failures = new Failures();
        for (var test : Vectors.json("public-suffix/generated.json")) {
            check(failures, test, test.get("host_ascii").stringValue());
        }
        failures.assertNone();
    }

    /** The list's tests use any text; a host reaches this class serialised, so parse it first. */
    private static void check(Failures failures, JsonNode test, String host) {
        var ascii = serialised(host);
        var registrable = test.get("registrable");
        failures.check(
                test.toString(),
                registrable.isNull() ? ascii : serialised(registrable.stringValue()),
                RegistrableDomain.of(ascii));
    }

    private static String serialised(String host) {
        return WhatwgUrl.parse("http://" + host + "/").flatMap(WhatwgUrl::host).orElse(host);
    }
}
