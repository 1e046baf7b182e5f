package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;

import crawlercommons.domains.EffectiveTldFinder;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.HashSet;
import java.util.Set;

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

    /** Every rule of the library's list but those since amended, as suffix of a longer host. */
    @Test
    void theLibrarysOwnFinderAgrees() {
        var amended = new HashSet<String>();
        for (var rule :
                (PublicSuffixAmendments.ADDED + PublicSuffixAmendments.REMOVED).split("\\s+", -1)) {
            amended.add(rule.startsWith("*.") ? rule.substring(2) : rule);
        }
        var failures = new Failures();
        for (var tld : EffectiveTldFinder.getEffectiveTLDs().values()) {
            var host = "c.b.a." + tld.getDomain();
            if (!isBelowAny(host, amended)) {
                failures.check(
                        host,
                        EffectiveTldFinder.getAssignedDomain(host, false, false),
                        RegistrableDomain.of(host));
            }
        }
        failures.assertNone();
    }

    private static boolean isBelowAny(String host, Set<String> names) {
        for (var dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
            if (names.contains(host.substring(dot + 1))) {
                return true;
            }
        }
        return false;
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

    /** The list's tests speak of any text; a host reaches us serialised, so it is parsed first. */
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
