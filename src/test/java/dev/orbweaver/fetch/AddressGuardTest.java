package dev.orbweaver.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;

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
                "ff02::fb"
            })
    void specialAddressesAreNotDialled(String address) {
        assertThat(AddressGuard.objection(InetAddress.ofLiteral(address))).isPresent();
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
                "3fff:1000::1"
            })
    void theirNeighboursAre(String address) {
        assertThat(AddressGuard.objection(InetAddress.ofLiteral(address))).isEmpty();
    }

    @Test
    void aZoneChangesNothing() throws UnknownHostException {
        var linkLocal = InetAddress.ofLiteral("fe80::1").getAddress();
        assertThat(AddressGuard.objection(Inet6Address.getByAddress("zoned", linkLocal, 3)))
                .isPresent();
        var loopback = InetAddress.ofLiteral("::1").getAddress();
        assertThat(AddressGuard.objection(Inet6Address.getByAddress("zoned", loopback, 1)))
                .isPresent();
    }

    @Test
    void aMappedAddressIsJudgedAsWhatItIsEvenWhenTheJdkKeepsItLong() throws UnknownHostException {
        var mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 127;
        mapped[15] = 1;
        assertThat(AddressGuard.objection(Inet6Address.getByAddress("mapped", mapped, -1)))
                .isPresent();
    }

    @Test
    void theAddressesOfTheVectorsAreJudgedRight() {
        var failures = new ArrayList<String>();
        for (var vector : Vectors.json("security/ssrf-addresses.json")) {
            var address = vector.get("address").asString();
            var refused = AddressGuard.objection(InetAddress.ofLiteral(address)).isPresent();
            var expect = vector.get("expect").asString();
            if (!expect.equals("either") && refused != expect.equals("refuse")) {
                failures.add(address + " should be " + expect);
            }
        }
        assertThat(failures).isEmpty();
    }
}
