package dev.orbweaver.internal.config;

/** The headings under which help lists the settings, in this order. */
public enum SettingGroup {
    COMMON("Common options"),
    SCOPE_AND_LIMITS("Scope and limits"),
    POLITENESS("Politeness"),
    NETWORK("Network"),
    OUTPUT("Output"),
    ADVANCED("Advanced");

    private final String heading;

    SettingGroup(String heading) {
        this.heading = heading;
    }

    public String heading() {
        return heading;
    }
}
