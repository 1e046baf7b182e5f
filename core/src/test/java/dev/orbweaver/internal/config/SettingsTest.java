package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.sink.SinkFollowers;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Tables of settings with extensions. */
class SettingsTest {

    private record Extension(String key) implements ModuleExtension {
        @Override
        public List<Setting> settings() {
            return List.of(new Setting(key, Setting.ValueType.TEXT, "", "a sink"));
        }

        @Override
        public void check(CheckedValues values) {
            if (values.text(key).equals("bad")) {
                values.addProblem(key, key + " is bad");
            }
        }

        @Override
        public SinkFollowers start(SettingValues settingValues, CommittedCrawl crawl) {
            return SinkFollowers.NONE;
        }
    }

    private static SettingValues values(String... keys) {
        var table = Settings.CORE;
        for (var key : keys) {
            table = table.with(new Extension(key));
        }
        return new SettingValues(table).put(Settings.SEEDS, "http://a.test/");
    }

    @Test
    void valuesOfTwoTablesAreOfBoth() throws ConfigException {
        var joined = values("one").put("one", "1").putAll(values("two").put("two", "2"));
        assertThat(joined.table().isOfExtension("one")).isTrue();
        assertThat(joined.table().isOfExtension("two")).isTrue();
        assertThat(CrawlConfig.read(joined).settingValues().last("two")).hasValue("2");
    }

    @Test
    void anExtensionThatBothTablesHaveIsThereOnce() {
        var joined = values("one").putAll(values("one", "two"));
        assertThat(joined.table().extensions()).hasSize(2);
    }

    @Test
    void anExtensionChecksItsSettingsWithAllOthers() {
        assertThatThrownBy(
                        () -> CrawlConfig.read(values("one").put("one", "bad").put("delay", "x")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("one is bad")
                .hasMessageContaining("delay");
    }

    @Test
    void anotherProgramReadsTheFileOfACrawlWithoutSinks() throws ConfigException {
        var text = YamlFile.write(values("one"));
        assertThat(CrawlConfig.read(YamlFile.parse(text, "file", Settings.CORE)).seeds())
                .hasSize(1);
        assertThat(YamlFile.write(values("one").put("one", "1"))).contains("one: \"1\"");
    }
}
