package dev.orbweaver.internal.url;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.text.IDNA;
import com.ibm.icu.util.ICUInputTooLongException;
import com.ibm.icu.util.VersionInfo;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Converts domains with non-ASCII characters by UTS 46 non-transitional processing.
 *
 * <p>Only such a domain loads this class, and with it ICU and its tables: the standard's domain
 * parser (section 3.3) only lower-cases an ASCII domain, regardless of its {@code xn--} labels.
 */
final class InternationalDomain {

    /** No valid domain is as long (RFC 1035 section 2.3.4), and Punycode takes quadratic time. */
    static final int LENGTH_MAX = 2048;

    /** Errors that the standard ignores: CheckHyphens and VerifyDnsLength are false. */
    private static final Set<IDNA.Error> NOT_ERRORS_ON_THE_WEB =
            EnumSet.of(
                    IDNA.Error.EMPTY_LABEL,
                    IDNA.Error.LABEL_TOO_LONG,
                    IDNA.Error.DOMAIN_NAME_TOO_LONG,
                    IDNA.Error.LEADING_HYPHEN,
                    IDNA.Error.TRAILING_HYPHEN,
                    IDNA.Error.HYPHEN_3_4);

    private static final IDNA UTS46 =
            IDNA.getUTS46Instance(
                    IDNA.CHECK_BIDI | IDNA.CHECK_CONTEXTJ | IDNA.NONTRANSITIONAL_TO_ASCII);

    /**
     * The Unicode version whose code points a domain may have. ICU may implement a later one, in
     * which more code points are valid; browsers and the web platform tests do not yet. The
     * identity of a host is stored on disk, so it must not depend on the version of a library.
     */
    private static final VersionInfo UNICODE = VersionInfo.getInstance(17);

    private InternationalDomain() {}

    /** Returns the domain in A-labels; empty if it is invalid by UTS 46. */
    static Optional<String> toAscii(String domain) {
        if (domain.length() > LENGTH_MAX) {
            return Optional.empty();
        }
        try {
            return processed(domain);
        } catch (ICUInputTooLongException tooLong) {
            // A label of several thousand characters, possibly only after mapping, which can expand
            // one character to eighteen. No such name exists either.
            return Optional.empty();
        }
    }

    private static Optional<String> processed(String domain) {
        var info = new IDNA.Info();
        var ascii = UTS46.nameToASCII(domain, new StringBuilder(domain.length() + 16), info);
        if (!NOT_ERRORS_ON_THE_WEB.containsAll(info.getErrors())) {
            return Optional.empty();
        }
        // The domain is checked as given, since a later version may map what an earlier one did not
        // know, and decoded, since an A-label beside a U-label may hide such a code point.
        var unicode =
                UTS46.nameToUnicode(domain, new StringBuilder(domain.length()), new IDNA.Info());
        return isKnown(domain) && isKnown(unicode)
                ? Optional.of(ascii.toString())
                : Optional.empty();
    }

    private static boolean isKnown(CharSequence text) {
        return text.codePoints().allMatch(c -> UCharacter.getAge(c).compareTo(UNICODE) <= 0);
    }
}
