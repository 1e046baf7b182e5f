package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.model.Fingerprint;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;

class FingerprintsTest {

    /**
     * The reference vectors of SipHash-2-4 with 128 bits: the key is the bytes 0 to 15, the message
     * of line n the bytes 0 to n - 1. They were computed with OpenSSL.
     */
    private static final List<String> VECTORS =
            """
            a3817f04ba25a8e66df67214c7550293
            da87c1d86b99af44347659119b22fc45
            8177228da4a45dc7fca38bdef60affe4
            9c70b60c5267a94e5f33b6b02985ed51
            f88164c12d9c8faf7d0f6e7c7bcd5579
            1368875980776f8854527a07690e9627
            14eeca338b208613485ea0308fd7a15e
            a1f1ebbed8dbc153c0b84aa61ff08239
            3b62a9ba6258f5610f83e264f31497b4
            264499060ad9baabc47f8b02bb6d71ed
            00110dc378146956c95447d3f3d0fbba
            0151c568386b6677a2b4dc6f81e5dc18
            d626b266905ef35882634df68532c125
            9869e247e9c08b10d029934fc4b952f7
            31fcefac66d7de9c7ec7485fe4494902
            5493e99933b0a8117e08ec0f97cfc3d9
            6ee2a4ca67b054bbfd3315bf85230577
            473d06e8738db89854c066c47ae47740
            a426e5e423bf4885294da481feaef723
            78017731cf65fab074d5208952512eb1
            9e25fc833f2290733e9344a5e83839eb
            568e495abe525a218a2214cd3e071d12
            4a29b54552d16b9a469c10528eff0aae
            c9d184ddd5a9f5e0cf8ce29a9abf691c
            2db479ae78bd50d8882a8a178a6132ad
            8ece5f042d5e447b5051b9eacb8d8f6f
            9c0b53b4b3c307e87eaee08678141f66
            abf248af69a6eae4bfd3eb2f129eeb94
            0664da1668574b88b935f3027358aef4
            aa4b9dc4bf337de90cd4fd3c467c6ab7
            ea5c7f471faf6bde2b1ad7d4686d2287
            2939b0183223fafc1723de4f52c43d35
            7c3956ca5eeafc3e363e9d556546eb68
            77c6077146f01c32b6b69d5f4ea9ffcf
            37a6986cb8847edf0925f0f1309b54de
            a705f0e69da9a8f907241a2e923c8cc8
            3dc47d1f29c448461e9e76ed904f6711
            0d62bf01e6fc0e1a0d3c4751c5d3692b
            8c03468bca7c669ee4fd5e084bbee7b5
            528a5bb93baf2c9c4473cce5d0d22bd9
            df6a301e95c95dad97ae0cc8c6913bd8
            801189902c857f39e73591285e70b6db
            e617346ac9c231bb3650ae34ccca0c5b
            27d93437efb721aa401821dcec5adf89
            89237d9ded9c5e78d8b1c9b166cc7342
            4a6d8091bf5e7d651189fa94a250b14c
            0e33f96055e7ae893ffc0e3dcf492902
            e61c432b720b19d18ec8d84bdc63151b
            f7e5aef549f782cf379055a608269b16
            438d030fd0b7a54fa837f2ad201a6403
            a590d3ee4fbf04e3247e0d27f286423f
            5fe2c1a172fe93c4b15cd37caef9f538
            2c97325cbd06b36eb2133dd08b3a017c
            92c814227a6bca949ff0659f002ad39e
            dce850110bd8328cfbd50841d6911d87
            67f14984c7da791248e32bb5922583da
            1938f2cf72d54ee97e94166fa91d2a36
            74481e9646ed49fe0f6224301604698e
            57fca5de98a9d6d8006438d0583d8a1d
            9fecde1cefdc1cbed4763674d9575359
            e3040c00eb28f15366ca73cbd872e740
            7697009a6a831dfecca91c5993670f7a
            5853542321f567a005d547a4f04759bd
            5150d1772f50834a503e069a973fbd7c
            """
                    .lines()
                    .toList();

    private static final FingerprintKey OTHER = new FingerprintKey(1, 2);

    private static Fingerprint of(FingerprintKey key, String text) {
        return Fingerprints.of(key, text.getBytes(US_ASCII), 0, text.length());
    }

    @Test
    void isTheFirst64AndTheNext16BitsOfSipHash() {
        var message = new byte[VECTORS.size() + 3];
        for (var i = 0; i < VECTORS.size(); i++) {
            message[3 + i] = (byte) i;
        }
        for (var length = 0; length < VECTORS.size(); length++) {
            var expected =
                    ByteBuffer.wrap(HexFormat.of().parseHex(VECTORS.get(length)))
                            .order(ByteOrder.LITTLE_ENDIAN);
            assertThat(Fingerprints.of(FingerprintKey.PUBLIC, message, 3, 3 + length))
                    .as("length %d", length)
                    .isEqualTo(new Fingerprint(expected.getLong(), expected.getShort()));
        }
    }

    @Test
    void urlsCraftedForOneRowOfTheSeenTableAreSpreadOverAllOfThem() {
        for (var key : List.of(FingerprintKey.PUBLIC, OTHER, FingerprintKey.random())) {
            var rows = new HashSet<Long>();
            CraftedUrls.texts().forEach(text -> rows.add(of(key, text).high() >>> 48));
            // Of 300 in 65,536 rows, 0.7 collide on average.
            assertThat(rows).hasSizeGreaterThan(290);
        }
    }

    @Test
    void everyBitOfAUrlAndOfTheKeyChangesAboutHalfOfTheFingerprint() {
        var changed = 0L;
        var tries = 0;
        for (var n = 0; n < 50; n++) {
            var url = ("http://a.test/page/" + n).getBytes(US_ASCII);
            var before = Fingerprints.of(OTHER, url, 0, url.length);
            for (var bit = 0; bit < url.length * Byte.SIZE; bit++, tries++) {
                var other = url.clone();
                other[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
                changed += distance(before, Fingerprints.of(OTHER, other, 0, other.length));
            }
            for (var bit = 0; bit < Long.SIZE; bit++, tries++) {
                var key = new FingerprintKey(OTHER.first(), OTHER.second() ^ (1L << bit));
                changed += distance(before, Fingerprints.of(key, url, 0, url.length));
            }
        }
        assertThat((double) changed / tries).isBetween(39.5, 40.5);
    }

    private static int distance(Fingerprint a, Fingerprint b) {
        return Long.bitCount(a.high() ^ b.high()) + Integer.bitCount((a.low() ^ b.low()) & 0xFFFF);
    }

    /** Chi-square over the rows of the seen table and over the slots of sets in memory. */
    @Test
    void fingerprintsAreSpreadEvenly() {
        var count = 200_000;
        var bins = 1000;
        var first = new int[bins];
        var last = new int[bins];
        var low = new int[bins];
        for (var n = 0; n < count; n++) {
            var key = of(OTHER, "https://example.org/articles/2030/" + n + ".html");
            first[(int) ((key.high() >>> 48) % bins)]++;
            last[(int) ((key.high() & 0xFFFF_FFFFL) % bins)]++;
            low[(key.low() & 0xFFFF) % bins]++;
        }
        for (var counts : List.of(first, last)) {
            var expected = (double) count / bins;
            var chiSquare =
                    Arrays.stream(counts)
                            .mapToDouble(seen -> (seen - expected) * (seen - expected) / expected)
                            .sum();
            // 999 degrees of freedom: five standard deviations (of 44.7) around the mean.
            assertThat(chiSquare).isBetween(775.0, 1223.0);
        }
        assertThat(Arrays.stream(low).min().orElseThrow()).isPositive();
    }

    @Test
    void twoFrontiersOfDifferentSecretsKnowAUrlByDifferentFingerprints() {
        var url = "http://a.test/";
        var one = new CrawlUrls(Normalisation.DEFAULT, OTHER).parse(url).orElseThrow();
        var unkeyed = new CrawlUrls(Normalisation.DEFAULT);
        var two = unkeyed.parse(url).orElseThrow();
        assertThat(one.key()).isNotEqualTo(two.key());
        assertThat(unkeyed.rekeyed(one)).isEqualTo(two);
        assertThat(FingerprintKey.random()).isNotEqualTo(FingerprintKey.random());
    }

    @Test
    void aKeySurvivesBeingWrittenAndIsNotShown() {
        var key = FingerprintKey.random();
        assertThat(FingerprintKey.of(key.bytes())).isEqualTo(key);
        assertThat(key).hasToString("FingerprintKey[secret]");
        assertThatThrownBy(() -> FingerprintKey.of(new byte[15]))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
