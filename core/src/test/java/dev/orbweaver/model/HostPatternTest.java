package dev.orbweaver.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.util.List;

class HostPatternTest {

    @ParameterizedTest
    @CsvSource({
        "a.test,a.test,true",
        "a.test,x.a.test,false",
        "a.test,xa.test,false",
        "*.a.test,a.test,false",
        "*.a.test,x.a.test,true",
        "*.a.test,y.x.a.test,true",
        "*.a.test,xa.test,false",
        ".a.test,a.test,true",
        ".a.test,x.a.test,true",
        ".a.test,xa.test,false",
        ".a.test,test,false"
    })
    void aPatternMeansWhatItSaysAloneAndInASet(String pattern, String host, boolean meant) {
        assertThat(HostPattern.of(pattern).matches(host)).isEqualTo(meant);
        assertThat(new HostSet(List.of(HostPattern.of(pattern))).contains(host)).isEqualTo(meant);
        assertThat(HostPattern.of(pattern)).hasToString(pattern);
    }

    @Test
    void whatNoHostMatchesIsNoPattern() {
        for (var text : List.of("", ".", "*.", "a.*.test", "..a")) {
            assertThatThrownBy(() -> HostPattern.of(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24,192.0.2.255,true",
        "192.0.2.0/24,192.0.3.0,false",
        "192.0.2.8/29,192.0.2.15,true",
        "192.0.2.8/29,192.0.2.16,false",
        "192.0.2.8/29,192.0.2.7,false",
        "0.0.0.0/0,203.0.113.9,true",
        "0.0.0.0/0,2001:db8::1,false",
        "192.0.2.1,192.0.2.1,true",
        "192.0.2.1,192.0.2.3,false",
        "2001:db8::/33,2001:db8:7fff::1,true",
        "2001:db8::/33,2001:db8:8000::1,false"
    })
    void aRangeHoldsTheAddressesThatBeginWithItsBits(String range, String address, boolean holds) {
        var bytes = InetAddress.ofLiteral(address).getAddress();
        assertThat(AddressRange.of(range).contains(bytes)).isEqualTo(holds);
    }
}
