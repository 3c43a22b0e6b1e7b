/** Pairs of questions that ask for the same fact in other words: answer | question | question. */
export const REWORDED_PAIRS = `
Neil Armstrong | Who was the first person to walk on the Moon? | Who was the first man to walk on the surface of the moon?
1912 | In what year did the Titanic sink? | The RMS Titanic sank in which year?
Seth | What was the name of Nicolas Cages character in City of Angels? | What was the name of Nicolas Cage's character in the movie City of Angels?
Chris Martin | Who is the lead singer of Coldplay? | Who is the lead singer of the British rock band Coldplay?
1914 | In which year did the First World War start? | What year did World War I begin?
116 years | How long did the Hundred Years War last? | How long was the Hundred Years' War?
Canberra | What is the capital of Australia? | Which city is the capital of Australia?
Au | What is the chemical symbol for gold? | Which chemical symbol stands for the element gold?
Jupiter | What is the largest planet in our solar system? | Which planet is the biggest in the Solar System?
Alexander Fleming | Who discovered penicillin? | Which Scottish scientist discovered penicillin?
Leonardo da Vinci | Who painted the Mona Lisa? | Which artist painted the famous Mona Lisa?
Herman Melville | Who wrote Moby Dick? | Who wrote the novel "Moby-Dick"?
6 | How many strings does a standard guitar have? | How many strings are there on a standard guitar?
Mount Everest | What is the highest mountain in the world? | What is the tallest mountain on Earth?
Yen | What is the currency of Japan? | What currency is used in Japan?
Diamond | What is the hardest natural substance on Earth? | Which is the hardest naturally occurring substance on earth?
Mitochondria | Which organelle is known as the powerhouse of the cell? | What is the powerhouse of the cell called?
Steven Spielberg | Who directed the film Jaws? | Who was the director of the movie "Jaws"?
Brad Pitt | Who played Tyler Durden in Fight Club? | Which actor played Tyler Durden in the 1999 film Fight Club?
Harrison Ford | Who plays Han Solo in the Star Wars movies? | Which actor played Han Solo in the Star Wars films?
Anthony Hopkins | Who played Hannibal Lecter in The Silence of the Lambs? | In "The Silence of the Lambs", who played the role of Dr. Hannibal Lecter?
1989 | In what year did the Berlin Wall fall? | When did the Berlin Wall come down?
George Washington | Who was the first president of the United States? | Who was the 1st President of the USA?
Abraham Lincoln | Which US president was assassinated by John Wilkes Booth? | John Wilkes Booth assassinated which American president?
Freddie Mercury | Who was the lead vocalist of Queen? | Who was the lead singer of the band Queen?
206 | How many bones are there in the adult human body? | How many bones does an adult human body have?
Skin | What is the largest organ of the human body? | The largest organ in the human body is what?
Brazil | Which country has won the most FIFA World Cups? | What country has won the FIFA World Cup the most times?
Michael Phelps | Which swimmer has won the most Olympic gold medals? | Who is the swimmer with the most Olympic gold medals?
Amazon | Which is the longest river in South America? | What is the name of the longest river in South America?
Pacific | What is the largest ocean on Earth? | Which ocean is the largest in the world?
Vatican City | What is the smallest country in the world? | Which country is the smallest in the world by area?
Cobain | What was the surname of the lead singer of Nirvana? | What was the last name of Nirvana's lead singer?
Thriller | What is the best-selling album of all time? | Which album is the best selling of all time?
Sherlock Holmes | Which fictional detective lived at 221B Baker Street? | Who is the fictional detective who lives at 221B Baker Street in London?
Romeo and Juliet | In which Shakespeare play do the Montagues and Capulets appear? | The Montagues and the Capulets are families in which Shakespeare play?
Bram Stoker | Who is the author of Dracula? | Who wrote the horror novel Dracula?
Mary Shelley | Who wrote Frankenstein? | Who is the author of the gothic novel "Frankenstein"?
1984 | Which George Orwell novel features Big Brother? | Big Brother appears in which novel by George Orwell?
Holden Caulfield | Who is the protagonist of The Catcher in the Rye? | Who is the main character of J. D. Salinger's The Catcher in the Rye?
Dublin | James Joyces Ulysses is set in which city? | In which city is James Joyce's novel "Ulysses" set?
Sancho Panza | What is the name of Don Quixotes squire? | Don Quixote's squire was called what?
Rosinante | What was the name of Don Quixotes horse? | What is Don Quixote's horse called?
Bucephalus | What was the name of Alexander the Greats horse? | What was the horse of Alexander the Great called?
Tigris | Which river flows through Baghdad? | Baghdad lies on the banks of which river?
Danube | On which river does Vienna stand? | Which river flows through Vienna?
Nairobi | What is the capital of Kenya? | Name the capital city of Kenya.
Kilimanjaro | What is the highest mountain in Africa? | Which mountain is the highest in Africa?
Greenland | What is the largest island in the world? | Which is the worlds largest island?
Lake Superior | Which of the Great Lakes is the largest? | Which is the largest of the five Great Lakes of North America?
Alaska | What is the largest U.S. state by area? | Which state of the United States is the largest in area?
Ottawa | Which city is the capital of Canada? | What is Canada's capital city?
8 | How many legs does a spider have? | How many legs do spiders have?
Hive | What is the home of a bee called? | What do you call the home of bees?
Joey | What is a baby kangaroo called? | What do you call a baby kangaroo?
Murder | What is the collective noun for a group of crows? | What do you call a group of crows?
Cheetah | What is the fastest land animal? | Which land animal is the fastest in the world?
Blue whale | What is the largest animal ever to have lived? | Which is the largest animal that has ever lived on Earth?
Ostrich | What is the largest living bird? | Which bird is the largest living bird in the world?
Bamboo | What do giant pandas mainly eat? | What plant do giant pandas mainly feed on?
Photosynthesis | What is the process by which plants make food from sunlight? | By what process do plants convert sunlight into food?
Nitrogen | Which gas makes up most of Earths atmosphere? | What gas makes up most of the Earth's atmosphere?
Ag | What is the chemical symbol of silver? | What is the symbol for the element silver on the periodic table?
79 | What is the atomic number of gold? | Gold has which atomic number?
H2O | What is the chemical formula for water? | What's waters chemical formula?
Isaac Newton | Who formulated the three laws of motion? | Which physicist formulated the 3 laws of motion?
Marie Curie | Who was the first woman to win a Nobel Prize? | Who was the first female to win the Nobel Prize?
Alexander Graham Bell | Who invented the telephone? | Who is credited with inventing the telephone?
Galileo Galilei | Who discovered the four largest moons of Jupiter? | Which astronomer discovered Jupiter's 4 largest moons?
Mars | Which planet is known as the Red Planet? | What planet is nicknamed the "Red Planet"?
Pluto | Which dwarf planet was discovered by Clyde Tombaugh in 1930? | Clyde Tombaugh discovered which dwarf planet?
100 | At how many degrees Celsius does water boil at sea level? | What is the boiling point of water at sea level in degrees Celsius?
300,000 km/s | What is the approximate speed of light? | Approximately how fast is the speed of light?
Titanic | Which 1997 film by James Cameron won eleven Oscars? | Which James Cameron movie of 1997 won 11 Oscars?
The Godfather | In which movie does Marlon Brando play Don Vito Corleone? | Marlon Brando played Vito Corleone in which film?
Rosebud | What is the last word spoken by Charles Foster Kane in Citizen Kane? | In the film Citizen Kane, what is Charles Foster Kane's last word?
Bates Motel | What is the name of the motel in Psycho? | What is the motel called in Alfred Hitchcocks Psycho?
Wilson | What is the name of the volleyball in Cast Away? | In the movie Cast Away, what name does Tom Hanks give to the volleyball?
DeLorean | What car was used as the time machine in Back to the Future? | Which car is the time machine in the Back to the Future movies?
Hakuna Matata | In The Lion King what phrase means no worries? | Which phrase means "no worries" in Disney's The Lion King?
Nemo | What is the name of the lost clownfish in the Pixar film? | What is the lost clownfish called in the Pixar movie?
Woody | What is the name of the cowboy in Toy Story? | What is the name of the toy cowboy in the film Toy Story?
Scar | Who kills Mufasa in The Lion King? | Which character kills Mufasa in the Disney film The Lion King?
Central Perk | What is the name of the coffee shop in Friends? | What is the coffee house in the TV series "Friends" called?
Springfield | In which town do the Simpsons live? | What is the name of the town where The Simpsons live?
Moe's | What is the name of Homer Simpsons favourite bar? | What is the name of Homer Simpson's favorite bar on The Simpsons?
Dunder Mifflin | What is the name of the paper company in The Office? | In the TV show "The Office", what's the name of the paper company?
Walter White | What is the name of Bryan Cranstons character in Breaking Bad? | Who does Bryan Cranston play in Breaking Bad?
Stark | Which family rules Winterfell in Game of Thrones? | In Game of Thrones which family are the rulers of Winterfell?
Ringo Starr | Who was the drummer of the Beatles? | Who played drums for The Beatles?
Liverpool | In which city were the Beatles formed? | Which English city did the Beatles come from?
Pink Floyd | Which band released the album The Dark Side of the Moon? | Which band recorded the 1973 album "Dark Side of the Moon"?
Bob Dylan | Who wrote the song Blowin in the Wind? | Who wrote "Blowin' in the Wind"?
Purple Rain | What was the name of Princes 1984 film and album? | What was the title of Prince's 1984 film and album?
Elvis Presley | Which singer was known as the King of Rock and Roll? | Who was known as "The King of Rock 'n' Roll"?
88 | How many keys does a standard piano have? | A standard piano has how many keys?
Vivaldi | Who composed The Four Seasons? | Which composer wrote "The Four Seasons"?
Beethoven | Who composed the Moonlight Sonata? | Which German composer composed the Moonlight Sonata?
Ode to Joy | Which poem is sung in the finale of Beethovens Ninth Symphony? | Which poem is sung in the finale of Beethoven's 9th symphony?
Violin | Which instrument did Sherlock Holmes play? | What musical instrument does Sherlock Holmes play?
11 | How many players are on a soccer team? | How many players does a football team have on the field?
Wimbledon | Which tennis tournament is played on grass? | Which Grand Slam tennis tournament is played on grass courts?
18 | How many holes are there on a standard golf course? | How many holes does a standard round golf course have?
Uruguay | Which country won the first FIFA World Cup? | Which country won the very first football World Cup in 1930?
Michael Jordan | Which basketball player was nicknamed Air Jordan? | Who is the basketball player nicknamed "Air Jordan"?
Muhammad Ali | Which boxer was born Cassius Clay? | What boxer was born with the name Cassius Clay?
Yellow | What color jersey does the leader of the Tour de France wear? | What colour is the jersey worn by the leader of the Tour de France?
5 | How many rings are on the Olympic flag? | How many rings are there on the flag of the Olympics?
Athens | Where were the first modern Olympic Games held in 1896? | Which city held the first modern Olympic Games?
Napoleon | Who was defeated at the Battle of Waterloo? | Which French emperor was defeated at the Battle of Waterloo?
1815 | In what year was the Battle of Waterloo? | When was the Battle of Waterloo fought?
1066 | In which year was the Battle of Hastings? | What year was the Battle of Hastings fought?
Winston Churchill | Who was prime minister of Britain for most of World War 2? | Who was the British prime minister for most of World War II?
Henry VIII | Which English king had six wives? | Which king of England had 6 wives?
Anne Boleyn | Who was the second wife of Henry VIII? | Who was King Henry VIIIs second wife?
Julius Caesar | Who crossed the Rubicon in 49 BC? | Which Roman general crossed the Rubicon in 49 BC?
Et tu, Brute | What were the last words of Julius Caesar according to Shakespeare? | According to Shakespeare, what were Julius Caesar's last words?
Cleopatra | Who was the last queen of Egypt? | Who was the last Queen of ancient Egypt?
Tutankhamun | Howard Carter discovered the tomb of which pharaoh? | Which pharaoh's tomb was discovered by Howard Carter in 1922?
Christopher Columbus | Who sailed the Nina, the Pinta and the Santa Maria? | Which explorer sailed the Nina, Pinta  Santa Maria?
Magellan | Whose expedition was the first to circumnavigate the globe? | Whose expedition first circumnavigated the world?
Boston | In which city did the famous Tea Party of 1773 take place? | In which American city did the 1773 Tea Party take place?
Bastille | Which prison was stormed at the start of the French Revolution? | The storming of which prison began the French Revolution?
Franz Ferdinand | Whose assassination triggered the First World War? | Whose assassination sparked World War One?
Enola Gay | What was the name of the plane that dropped the atomic bomb on Hiroshima? | Which aircraft dropped the first atomic bomb on Hiroshima?
Rosa Parks | Who refused to give up her seat on a bus in Montgomery in 1955? | Which woman refused to give up her bus seat in Montgomery, Alabama?
Laika | What was the name of the first dog in space? | What was the name of the first dog sent into space?
Yuri Gagarin | Who was the first human in space? | Who was the first man to travel into space?
Zeus | Who is the king of the gods in Greek mythology? | In Greek mythology, who was king of the gods?
Medusa | In Greek mythology which gorgon had snakes for hair? | Which Gorgon in Greek mythology had hair made of snakes?
Thor | Which Norse god wields the hammer Mjolnir? | Which god of Norse mythology carries a hammer named Mjölnir?
Poseidon | Who is the Greek god of the sea? | What is the name of the Greek god of the sea?
Icarus | Who flew too close to the sun in Greek myth? | Which character of Greek mythology flew too close to the sun?
Cerberus | What is the name of the three-headed dog that guards the underworld? | What is the name of the 3 headed dog guarding the gates of the underworld?
Ctrl+C | What is the keyboard shortcut for copy in Windows? | Which keyboard shortcut is used for copy on Windows?
Tim Berners-Lee | Who invented the World Wide Web? | Who is the inventor of the World Wide Web?
Random Access Memory | What does RAM stand for? | In computing, what does RAM stand for?
Bill Gates | Who founded Microsoft together with Paul Allen? | Who founded Microsoft with Paul Allen in 1975?
Mario | What is the name of Nintendos plumber mascot? | What is the name of the plumber who is Nintendo's mascot?
Pac-Man | In which arcade game do Blinky, Pinky, Inky and Clyde appear? | Blinky, Pinky, Inky  Clyde are ghosts in which arcade game?
Master Chief | Who is the main character of the Halo games? | Who is the protagonist of the Halo video game series?
Hyrule | In which kingdom is The Legend of Zelda set? | What is the name of the kingdom in which the Legend of Zelda games are set?
Link | What is the name of the hero in The Legend of Zelda? | What is the hero of the video game series Legend of Zelda called?
Avocado | What is the main ingredient of guacamole? | What is the main ingredient in guacamole?
Chickpeas | What is the main ingredient of hummus? | Hummus is made mainly from which ingredient?
Saffron | What is the most expensive spice in the world? | Which spice is the most expensive in the world by weight?
Vodka | Which spirit is used in a Bloody Mary? | What spirit is the base of a Bloody Mary cocktail?
Rice | What is sake made from? | Japanese sake is made from what?
Kimchi | What is the name of the Korean dish of fermented cabbage? | What is the Korean dish made of fermented cabbage called?
Scoville scale | What scale measures the heat of chili peppers? | Which scale is used to measure the heat of chilli peppers?
Grapes | Raisins are dried what? | What fruit are raisins when dried?
Green | What color do you get by mixing blue and yellow? | Mixing blue and yellow gives which colour?
Obtuse | What do you call an angle greater than 90 degrees? | An angle of more than 90 degrees is called what?
3.14 | What is the value of pi to two decimal places? | To 2 decimal places, what is the value of pi?
Hypotenuse | What is the longest side of a right triangle called? | What is the name of the longest side of a right-angled triangle?
8 | How many sides does an octagon have? | An octagon has how many sides?
Dozen | What is a group of twelve items called? | What do you call a group of 12 items?
Triskaidekaphobia | What is the fear of the number thirteen called? | What is the name for the fear of the number 13?
Arachnophobia | What is the fear of spiders called? | What's the term for the fear of spiders?
Philately | What is the hobby of collecting stamps called? | The collecting of stamps is known as what?
Palindrome | What is a word that reads the same backwards as forwards called? | What do you call a word which reads the same backward and forward?
Mercury | Which planet is closest to the Sun? | What is the closest planet to the sun in our solar system?
26 | How many letters are in the English alphabet? | How many letters does the English alphabet have?
Monaco | Which country is home to the Monte Carlo casino? | In which country is the casino of Monte Carlo?
Sydney | In which city is the famous Opera House with a roof like sails? | Which Australian city has an opera house with a roof like sails?
Big Ben | What is the name of the great bell at the Palace of Westminster? | What is the nickname of the great bell in the Palace of Westminster, London?
Gustave Eiffel | Who designed the Eiffel Tower? | Which engineer designed the Eiffel Tower in Paris?
Agra | In which city is the Taj Mahal? | The Taj Mahal is located in which Indian city?
Leaning Tower | What is the most famous building in Pisa? | Which building in Pisa is the most famous?
`;
