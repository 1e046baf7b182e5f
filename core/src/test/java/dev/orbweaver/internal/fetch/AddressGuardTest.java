package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.fetch.AddressGuard.SpecialAddress;
import dev.orbweaver.model.AddressRange;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

class AddressGuardTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.255.255.255",
                "10.255.255.255",
                "100.64.0.0",
                "100.127.255.255",
                "127.255.255.254",
                "169.254.169.253",
                "172.16.0.0",
                "172.31.255.255",
                "192.0.0.9",
                "192.0.2.255",
                "192.31.196.1",
                "192.52.193.1",
                "192.88.99.2",
                "192.168.1.1",
                "192.175.48.6",
                "198.19.255.255",
                "198.51.100.7",
                "203.0.113.200",
                "224.0.0.251",
                "239.255.255.250",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::7f00:1",
                "::8.8.8.8",
                "::ffff:10.0.0.1",
                "::ffff:0:127.0.0.1",
                "64:ff9b::10.1.2.3",
                "64:ff9b::224.0.0.1",
                "64:ff9b:1::8.8.8.8",
                "100::1",
                "100:0:0:1::1",
                "200:1234::1",
                "2001::1",
                "2001:20::1",
                "2001:1ff:ffff::1",
                "2001:db8:ffff::",
                "2002:0808:0808::1",
                "2620:4f:8000::53",
                "3fff:fff::1",
                "4000::1",
                "5f00::1",
                "9000::1",
                "fc00::",
                "fdff:ffff::1",
                "fe80::1",
                "febf::1",
                "feff::1",
                "ff02::fb",
                "168.63.129.16",
                "::ffff:168.63.129.16",
                "64:ff9b::a83f:8110",
                "2606:4700::5efe:10.0.0.1",
                "2606:4700::200:5efe:192.168.1.1",
                "2606:4700::5efe:168.63.129.16"
            })
    void specialAddressesAreNotDialled(String address) {
        assertThat(AddressGuard.classify(InetAddress.ofLiteral(address))).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.0.0.0",
                "9.255.255.255",
                "11.0.0.0",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.1",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "192.0.3.0",
                "198.17.255.255",
                "223.255.255.255",
                "::ffff:8.8.8.8",
                "2001:200::1",
                "2001:db7:ffff::1",
                "2001:db9::1",
                "2003::1",
                "2606:4700:4700::1111",
                "3ffe:ffff::1",
                "168.63.129.15",
                "168.63.129.17",
                "2606:4700::5efe:8.8.8.8",
                "3fff:1000::1"
            })
    void theirNeighboursAre(String address) {
        assertThat(AddressGuard.classify(InetAddress.ofLiteral(address))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "169.254.170.2",
                "168.63.129.16",
                "100.100.100.200",
                "192.0.0.192",
                "fd00:ec2::254",
                "fd20:ce::254",
                "fd00:c1::a9fe:a9fe",
                "fd00:42::42",
                "fd00:a9fe:a9fe::1",
                "fe80::a9fe:a9fe",
                "::ffff:169.254.169.254",
                "::a9fe:a9fe",
                "::ffff:0:a9fe:a9fe",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b:1::a9fe:a9fe",
                "64:ff9b:1:a9fe:a9:fe00::",
                "2002:a9fe:a9fe::1",
                "2001:0:a9fe:a9fe::",
                "2001:0:808:808::5601:5601",
                "2606:4700::5efe:a9fe:a9fe",
                "fd00::200:5efe:a83f:8110"
            })
    void onlyARangeThatNamesItOpensALinkLocalAddressOrAMetadataService(String text) {
        var address = InetAddress.ofLiteral(text);
        var url = TestFetcher.url("http://a.example/");
        assertThat(AddressGuard.classify(address)).get().matches(SpecialAddress::reserved);
        var allowing = new AddressPolicy(true, List.of(), Set.of("http://a.example"));
        assertThat(allowing.refusalReason(url, address)).isPresent();
        assertThat(allowing.refusalReason(address)).isPresent();
        var ranged = new AddressPolicy(false, List.of(AddressRange.of(text)), Set.of());
        assertThat(ranged.refusalReason(address)).isEmpty();
        assertThat(ranged.refusalReason(InetAddress.ofLiteral("10.0.0.1"))).isPresent();
    }

    @Test
    void aPermissionForPrivateAddressesCoversThoseOfItsOriginOrAll() {
        var loopback = InetAddress.ofLiteral("127.0.0.1");
        var named = TestFetcher.url("http://127.0.0.1:8080/page");
        var origin = new AddressPolicy(false, List.of(), Set.of("http://127.0.0.1:8080"));
        assertThat(origin.refusalReason(named, loopback)).isEmpty();
        assertThat(origin.refusalReason(TestFetcher.url("http://127.0.0.1/"), loopback))
                .isPresent();
        assertThat(origin.refusalReason(TestFetcher.url("http://a.example:8080/"), loopback))
                .isPresent();
        assertThat(new AddressPolicy(true, List.of(), Set.of()).refusalReason(loopback)).isEmpty();
        assertThat(AddressPolicy.PUBLIC.refusalReason(named, loopback)).contains("loopback");
    }

    @Test
    void aZoneChangesNothing() throws UnknownHostException {
        var linkLocal = InetAddress.ofLiteral("fe80::1").getAddress();
        assertThat(AddressGuard.classify(Inet6Address.getByAddress("zoned", linkLocal, 3)))
                .isPresent();
        var loopback = InetAddress.ofLiteral("::1").getAddress();
        assertThat(AddressGuard.classify(Inet6Address.getByAddress("zoned", loopback, 1)))
                .isPresent();
    }

    @Test
    void aMappedAddressIsJudgedAsWhatItIsEvenWhenTheJdkKeepsItLong() throws UnknownHostException {
        var mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 127;
        mapped[15] = 1;
        assertThat(AddressGuard.classify(Inet6Address.getByAddress("mapped", mapped, -1)))
                .isPresent();
    }

    @Test
    void theAddressesOfTheVectorsAreJudgedRight() {
        var failures = new ArrayList<String>();
        for (var vector : Vectors.json("security/ssrf-addresses.json")) {
            var address = vector.get("address").asString();
            var refused = AddressGuard.classify(InetAddress.ofLiteral(address)).isPresent();
            var expect = vector.get("expect").asString();
            if (!expect.equals("either") && refused != expect.equals("refuse")) {
                failures.add(address + " should be " + expect);
            }
        }
        assertThat(failures).isEmpty();
    }
}
